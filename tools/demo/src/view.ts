/**
 * How the jobs are shown while they run. On a terminal: what has happened scrolls by, and below it a small table is
 * redrawn in place. Elsewhere: a line for each change, and no control characters.
 */
import type { Writable } from 'node:stream';
import { styleText } from 'node:util';
import { cut, type JobRow, jobLine, jobTable, type Paint } from './job-table.ts';

export interface View {
  /** The jobs as they are now. */
  show(rows: readonly JobRow[]): void;
  /** A line that stays, about one job. */
  tell(job: string, line: string): void;
  /** Leaves the last state on the screen; nothing may be shown afterwards. */
  end(): void;
}

export type Terminal = Writable & { isTTY?: boolean; columns?: number };

/** @param signal once it is aborted, nothing is drawn any more: others write below the table then */
export function createView(stream: Terminal, signal: AbortSignal): View {
  return stream.isTTY === true ? liveView(stream, signal) : plainView(stream);
}

/** Colours, unless the stream or NO_COLOR is against them. */
export function paintFor(stream: Terminal): Paint {
  const style = (format: 'dim' | 'green' | 'red') => (text: string) =>
    stream.isTTY === true ? styleText(format, text, { stream }) : text;
  return { faint: style('dim'), good: style('green'), bad: style('red') };
}

const REDRAW_MS = 1000;
/** In a log, an epoch counts as a change only so often. */
const EPOCHS_PER_LINE = 10;

function liveView(stream: Terminal, signal: AbortSignal): View {
  const startedMs = performance.now();
  const paint = paintFor(stream);
  let rows: readonly JobRow[] = [];
  let drawn = 0;
  // One write for both, so that nothing flickers.
  const draw = (above = '', foot = true) => {
    if (signal.aborted) return;
    const columns = stream.columns ?? 80;
    const hint = paint.faint(`  ${clock(startedMs)}   Ctrl-C stops and cleans up`);
    const lines = rows.length === 0 ? [] : ['', ...jobTable(rows, columns, paint), '', ...(foot ? [hint] : [])];
    const back = drawn === 0 ? '' : `\u001b[${drawn}F\u001b[0J`;
    stream.write(`${back}${above}${lines.map((line) => `${line}\n`).join('')}`);
    drawn = lines.length;
  };
  const timer = setInterval(() => draw(), REDRAW_MS);
  return {
    show(next) {
      const changed = JSON.stringify(next) !== JSON.stringify(rows);
      rows = next;
      if (changed) draw();
    },
    tell(job, line) {
      const head = `  ${clock(startedMs)}  ${job}`;
      // What does not fit is told again at the end, where it may wrap.
      draw(`${paint.faint(head)}  ${cut(line, (stream.columns ?? 80) - head.length - 3)}\n`);
    },
    end() {
      clearInterval(timer);
      draw('', false);
    },
  };
}

function plainView(stream: Terminal): View {
  const startedMs = performance.now();
  const before = new Map<string, string>();
  const write = (job: string, line: string) => stream.write(`${clock(startedMs)}  ${job}  ${line}\n`);
  return {
    show(rows) {
      for (const row of rows) {
        const { name, state, ready, restarts, epoch } = row;
        const key = JSON.stringify([state, ready, restarts, Math.floor((epoch?.epoch ?? 0) / EPOCHS_PER_LINE)]);
        if (before.get(name) === key) continue;
        if (before.has(name)) write(name, jobLine(row));
        before.set(name, key);
      }
    },
    tell: write,
    end: () => undefined,
  };
}

/** Minutes and seconds since then. */
function clock(startedMs: number): string {
  const seconds = Math.floor((performance.now() - startedMs) / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}
