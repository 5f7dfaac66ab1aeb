/** What a panel is drawn from. */
import type { Panel } from '../model/dashboard.ts';
import type { Series } from '../model/series.ts';
import type { Cell } from '../model/table.ts';
import type { TimeRange } from '../model/time-range.ts';

export interface PanelView {
  readonly panel: Panel;
  readonly series: readonly Series[];
  readonly range: TimeRange;
  readonly stepSeconds: number;
  readonly nowMs: number;
  /** Text with the dashboard's variables filled in. */
  readonly fill: (text: string) => string;
  /** Where a link leads, from a row of a table; undefined where it leads nowhere. */
  readonly link: (template: string, row: Readonly<Record<string, Cell>>, text: string) => string | undefined;
  /** Names of series that the person has switched off in this panel's legend. */
  readonly hidden: Set<string>;
  /** Draws the panel anew from what it has. */
  readonly redraw: () => void;
  /** Shows another time, in the whole dashboard. */
  readonly zoom: (range: TimeRange) => void;
}

/** Fills the panel's body, which is empty, and returns what undoes more than its elements. */
export type DrawPanel = (body: HTMLElement, view: PanelView) => (() => void) | void;
