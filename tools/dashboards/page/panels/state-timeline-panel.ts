/** A row for each series, with a coloured bar for each time span of a state. */
import { shownNumber } from '../../model/field-config.ts';
import { stateSpans } from '../../model/state-spans.ts';
import { momentText, timeText } from '../../model/time-text.ts';
import { namedColor, seriesColor } from '../color.ts';
import { element } from '../element.ts';
import type { DrawPanel, PanelView } from '../panel-view.ts';
import { type ShownSeries, shownSeries } from './shown-series.ts';

export const drawStateTimeline: DrawPanel = (body, view) => {
  const rows = shownSeries(view).flatMap((each) => [
    element('span', { class: 'name', title: each.name }, each.name),
    spans(each, view),
  ]);
  body.append(element('div', { class: 'timeline' }, ...rows, element('span'), times(view)));
};

function spans({ series, config }: ShownSeries, { panel, range, stepSeconds, nowMs }: PanelView): HTMLElement {
  const lengthMs = range.toMs - range.fromMs;
  const percent = (seconds: number) => Math.min(Math.max(((seconds * 1000 - range.fromMs) / lengthMs) * 100, 0), 100);
  const isNamed = panel.options?.['showValue'] !== 'never';
  const made = stateSpans(series, stepSeconds).map(({ fromSeconds, toSeconds, value }) => {
    const { text, color } = shownNumber(value, config, nowMs);
    const span = element(
      'div',
      { class: 'span', title: `${text}, ${momentText(fromSeconds * 1000)} – ${momentText(toSeconds * 1000)}` },
      isNamed ? text : undefined,
    );
    span.style.left = `${percent(fromSeconds)}%`;
    span.style.width = `${percent(toSeconds) - percent(fromSeconds)}%`;
    span.style.setProperty('--own', namedColor(color) ?? seriesColor(value));
    return span;
  });
  return element('div', { class: 'spans' }, ...made);
}

/** Five labels along the range. */
function times({ range }: PanelView): HTMLElement {
  const marks = [0, 0.25, 0.5, 0.75, 1].map((share) =>
    element('span', {}, timeText(range.fromMs + share * (range.toMs - range.fromMs), range)),
  );
  return element('div', { class: 'times' }, ...marks);
}
