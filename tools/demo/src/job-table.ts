/** The table of jobs that is redrawn while they run. Pure: lines of text for a terminal of some width. */
import type { Epoch } from './training-log.ts';

export interface JobRow {
  readonly name: string;
  readonly state: string;
  /** `2/3`; `0/0` of a job without pods of its own. */
  readonly ready: string;
  readonly restarts: number;
  /** The last one that was finished. */
  readonly epoch?: Epoch;
  /** What happens now. */
  readonly now: string;
  /** When it is over. */
  readonly outcome?: 'as expected' | 'not as expected';
}

/** How parts of a line are made to stand out; each must leave the width as it is. */
export interface Paint {
  readonly faint: (text: string) => string;
  readonly good: (text: string) => string;
  readonly bad: (text: string) => string;
}

const HEAD = ['JOB', 'STATE', 'READY', 'RESTARTS', 'EPOCH', 'LOSS', 'NOW'];
const GAP = '  ';
const NO_PODS = '0/0';

/** A line for the head and one for each job, none longer than `columns`. */
export function jobTable(rows: readonly JobRow[], columns: number, paint: Paint): string[] {
  const cells = rows.map(cellsOf);
  const widths = HEAD.map((head, column) => Math.max(head.length, ...cells.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join(GAP)
      .trimEnd();
  const room = Math.max(columns - 3, 1);
  return [
    `  ${paint.faint(cut(line(HEAD), room))}`,
    ...rows.map((row, index) => `${mark(row, paint)} ${cut(line(cells[index] ?? []), room)}`),
  ];
}

/** A row in one line without columns, for logs. */
export function jobLine({ state, ready, restarts, epoch }: JobRow): string {
  return [
    state || 'Pending',
    ...(ready === NO_PODS ? [] : [`${ready || '0'} ready`]),
    restarts === 1 ? '1 restart' : `${restarts} restarts`,
    ...(epoch === undefined ? [] : [`epoch ${epoch.epoch}/${epoch.total}`, `loss ${epoch.loss}`]),
  ].join(', ');
}

function cellsOf({ name, state, ready, restarts, epoch, now }: JobRow): string[] {
  const trained = epoch === undefined ? ['', ''] : [`${epoch.epoch}/${epoch.total}`, epoch.loss.toFixed(4)];
  return [name, state, ready === NO_PODS ? '-' : ready, String(restarts), ...trained, now];
}

function mark({ outcome }: JobRow, paint: Paint): string {
  if (outcome === undefined) return paint.faint('·');
  return outcome === 'as expected' ? paint.good('✓') : paint.bad('✗');
}

/** The text, with an ellipsis in place of what there is no room for. */
export function cut(text: string, room: number): string {
  return text.length <= room ? text : `${text.slice(0, Math.max(room - 1, 0))}…`;
}
