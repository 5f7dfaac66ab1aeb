/** The table of jobs that is redrawn while they run. Pure: returns lines for a given width. */
import type { Epoch } from './training-log.ts';

export interface JobRow {
  readonly name: string;
  readonly state: string;
  /** `2/3`; `0/0` for a job without own pods. */
  readonly ready: string;
  readonly restarts: number;
  /** The last finished epoch. */
  readonly epoch?: Epoch;
  /** The current step. */
  readonly now: string;
  /** Set when the job is over. */
  readonly outcome?: 'as expected' | 'not as expected';
}

/** Styles for parts of a line, which must not change the width. */
export interface Paint {
  readonly faint: (text: string) => string;
  readonly good: (text: string) => string;
  readonly bad: (text: string) => string;
}

const HEAD = ['JOB', 'STATE', 'READY', 'RESTARTS', 'EPOCH', 'LOSS', 'NOW'];
const GAP = '  ';
const NO_PODS = '0/0';

/** The head and a line for each job, none longer than `columns`. */
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

/** The text, truncated to `room` with an ellipsis. */
export function cut(text: string, room: number): string {
  return text.length <= room ? text : `${text.slice(0, Math.max(room - 1, 0))}…`;
}
