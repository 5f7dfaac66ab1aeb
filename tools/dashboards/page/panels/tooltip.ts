/** Values of all series at the time under the pointer, descending. */
import type uPlot from 'uplot';
import type { Aligned } from '../../model/series.ts';
import { momentText } from '../../model/time-text.ts';
import { formatValue } from '../../model/unit.ts';
import { element } from '../element.ts';
import type { ShownSeries } from './shown-series.ts';

const MAX_LINES = 16;

/** @param values of the queries, not stacked */
export function tooltip(shown: readonly ShownSeries[], values: Aligned['values'], nowMs: number): uPlot.Plugin {
  const box = element('div', { class: 'tooltip' });
  box.hidden = true;
  return {
    hooks: {
      init: (plot) => void plot.over.append(box),
      setCursor: (plot) => {
        const { idx, left = -1, event } = plot.cursor;
        // Other panels only show the cursor line.
        if (idx === null || idx === undefined || left < 0 || event === undefined) {
          box.hidden = true;
          return;
        }
        const lines = shown
          .map((each, index) => ({ each, value: values[index]?.[idx], isDrawn: plot.series[index + 1]?.show === true }))
          .filter(({ value, isDrawn }) => isDrawn && value !== undefined)
          .sort((one, other) => (other.value ?? 0) - (one.value ?? 0));
        box.hidden = lines.length === 0;
        const more = lines.length - MAX_LINES;
        box.replaceChildren(
          element('div', { class: 'time' }, momentText((plot.data[0][idx] ?? 0) * 1000)),
          ...lines.slice(0, MAX_LINES).map(({ each, value }) => line(each, value ?? 0, nowMs)),
          ...(more > 0 ? [element('div', {}, `and ${more} more`)] : []),
        );
        const isRight = left > plot.over.clientWidth / 2;
        box.style.left = isRight ? '' : `${left + 12}px`;
        box.style.right = isRight ? `${plot.over.clientWidth - left + 12}px` : '';
      },
    },
  };
}

function line({ name, color, config }: ShownSeries, value: number, nowMs: number): HTMLElement {
  const mark = element('span', { class: 'mark' });
  mark.style.background = color;
  return element(
    'div',
    { class: 'line' },
    mark,
    element('span', {}, name),
    element('b', {}, formatValue(value, config, nowMs)),
  );
}
