/** Distribution of values over the buckets of a histogram, over time. Darker means more. */
import { type Heatmap, heatmapOf } from '../../model/heatmap.ts';
import { momentText, timeText } from '../../model/time-text.ts';
import { formatValue } from '../../model/unit.ts';
import { canvasColor, seriesColor, themeColor } from '../color.ts';
import { element } from '../element.ts';
import type { DrawPanel, PanelView } from '../panel-view.ts';

const MARGIN = { left: 64, right: 8, top: 6, bottom: 20 };
/** Makes buckets with few values visible. */
const FAINTEST = 0.12;
const LINE_HEIGHT = 16;

export const drawHeatmap: DrawPanel = (body, view) => {
  const heatmap = heatmapOf(view.series);
  const canvas = element('canvas', { class: 'chart' });
  const note = element('div', { class: 'tooltip' });
  note.hidden = true;
  body.append(canvas, note);
  const context = scaledContext(canvas);
  if (context === null) return;
  const places = placesOf(canvas, heatmap, view);
  drawCells(context, heatmap, places);
  drawAxes(context, heatmap, places, view);

  canvas.addEventListener('mouseleave', () => (note.hidden = true));
  canvas.addEventListener('mousemove', ({ offsetX, offsetY }) => {
    const text = cellText(heatmap, places, view, offsetX, offsetY);
    note.hidden = text === undefined;
    note.textContent = text ?? '';
    note.style.left = `${Math.min(offsetX + 12, canvas.clientWidth - 180)}px`;
    note.style.top = `${offsetY + 12}px`;
  });
};

/** Position of the cells in CSS pixels. */
interface Places {
  readonly width: number;
  readonly height: number;
  readonly rowHeight: number;
  readonly cellWidth: number;
  /** Right edge of the cell that ends at this time. */
  readonly x: (seconds: number) => number;
  /** Upper edge of a bucket. */
  readonly y: (bucket: number) => number;
}

function placesOf(canvas: HTMLElement, { bounds }: Heatmap, { range, stepSeconds }: PanelView): Places {
  const width = canvas.clientWidth - MARGIN.left - MARGIN.right;
  const height = canvas.clientHeight - MARGIN.top - MARGIN.bottom;
  const rowHeight = height / bounds.length;
  const pixelsPerMs = width / (range.toMs - range.fromMs);
  return {
    width,
    height,
    rowHeight,
    cellWidth: Math.max(stepSeconds * 1000 * pixelsPerMs, 1),
    x: (seconds) => MARGIN.left + (seconds * 1000 - range.fromMs) * pixelsPerMs,
    y: (bucket) => MARGIN.top + height - (bucket + 1) * rowHeight,
  };
}

function drawCells(context: CanvasRenderingContext2D, { counts, times }: Heatmap, places: Places): void {
  const { x, y, cellWidth, rowHeight } = places;
  const most = counts.flat().reduce((highest, count) => Math.max(highest, count), 0);
  counts.forEach((row, bucket) =>
    row.forEach((count, index) => {
      if (count <= 0) return;
      context.fillStyle = canvasColor(seriesColor(0), FAINTEST + (1 - FAINTEST) * Math.sqrt(count / most));
      // A thin gap separates cells.
      context.fillRect(x(times[index] ?? 0) - cellWidth, y(bucket), Math.max(cellWidth - 0.5, 1), rowHeight - 0.5);
    }),
  );
}

function drawAxes(context: CanvasRenderingContext2D, { bounds }: Heatmap, places: Places, view: PanelView): void {
  const { y, width, height, rowHeight } = places;
  const { range } = view;
  context.font = '11px system-ui, sans-serif';
  context.fillStyle = themeColor('--faint');
  context.textBaseline = 'middle';
  context.textAlign = 'right';
  const every = Math.ceil(LINE_HEIGHT / rowHeight);
  bounds.forEach((bound, bucket) => {
    if (bucket % every === 0) context.fillText(boundText(bound, view), MARGIN.left - 6, y(bucket) + rowHeight / 2);
  });
  context.textAlign = 'center';
  for (const share of [0.1, 0.5, 0.9]) {
    const text = timeText(range.fromMs + share * (range.toMs - range.fromMs), range);
    context.fillText(text, MARGIN.left + share * width, MARGIN.top + height + MARGIN.bottom / 2);
  }
}

function cellText(heatmap: Heatmap, places: Places, view: PanelView, atX: number, atY: number): string | undefined {
  const { bounds, counts, times } = heatmap;
  const bucket = Math.floor((MARGIN.top + places.height - atY) / places.rowHeight);
  const index = times.findIndex((time) => atX < places.x(time) && atX >= places.x(time) - places.cellWidth);
  const count = counts[bucket]?.[index];
  if (count === undefined) return undefined;
  const from = bucket === 0 ? '' : `${boundText(bounds[bucket - 1] ?? 0, view)} – `;
  const time = momentText((times[index] ?? 0) * 1000);
  const { unit } = view.panel.fieldConfig?.defaults ?? {};
  return `${time}: ${formatValue(count, { unit }, view.nowMs)} in ${from}${boundText(bounds[bucket] ?? 0, view)}`;
}

function boundText(bound: number, { panel, nowMs }: PanelView): string {
  const unit = (panel.options?.['yAxis'] as { unit?: string } | undefined)?.unit;
  return Number.isFinite(bound) ? formatValue(bound, { unit }, nowMs) : 'more';
}

/** In CSS pixels, sharp on every screen. */
function scaledContext(canvas: HTMLCanvasElement): CanvasRenderingContext2D | null {
  canvas.width = canvas.clientWidth * devicePixelRatio;
  canvas.height = canvas.clientHeight * devicePixelRatio;
  const context = canvas.getContext('2d');
  context?.scale(devicePixelRatio, devicePixelRatio);
  return context;
}
