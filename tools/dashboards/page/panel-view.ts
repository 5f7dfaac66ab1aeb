/** Data of a panel. */
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
  /** Replaces the dashboard's variables in text. */
  readonly fill: (text: string) => string;
  /** URL of a link in a row of a table; undefined without a valid one. */
  readonly link: (template: string, row: Readonly<Record<string, Cell>>, text: string) => string | undefined;
  /** Names of series that the user hid in the legend. */
  readonly hidden: Set<string>;
  /** Draws the panel again from the same data. */
  readonly redraw: () => void;
  /** Changes the time range of the dashboard. */
  readonly zoom: (range: TimeRange) => void;
}

/** Fills the empty body of a panel. Returns a clean-up function, if removing its elements is not enough. */
export type DrawPanel = (body: HTMLElement, view: PanelView) => (() => void) | void;
