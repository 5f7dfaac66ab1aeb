/**
 * Shows the jobs while they run. On a terminal: lines about what happened, and below them a table that is redrawn in place.
 * Elsewhere: a line for each change, without control characters.
 */
import type { Writable } from 'node:stream';
import { styleText } from 'node:util';
import { cut, type JobRow, jobLine, jobTable, type Paint } from './job-table.ts';

export interface View {
  /** Shows the current state of the jobs. */
  show(rows: readonly JobRow[]): void;
  /** Prints a permanent line about one job. */
  print(job: string, line: string): void;
  /** Keeps the last state on the screen. Nothing may be shown afterwards. */
  end(): void;
}

export type Terminal = Writable & { isTTY?: boolean; columns?: number };

/** @param signal when it aborts, drawing stops, because other output follows below the table */
export function createView(stream: Terminal, signal: AbortSignal): View {
  return stream.isTTY === true ? liveView(stream, signal) : plainView(stream);
}

/** Colours, if the stream is a terminal and NO_COLOR is unset. */
export function paintFor(stream: Terminal): Paint {
  const style = (format: 'dim' | 'green' | 'red') => (text: string) =>
    stream.isTTY === true ? styleText(format, text, { stream }) : text;
  return { faint: style('dim'), good: style('green'), bad: style('red') };
}

const REDRAW_MS = 1000;
/** A log gets a line only for every tenth epoch. */
const EPOCHS_PER_LINE = 10;

function liveView(stream: Terminal, signal: AbortSignal): View {
  const startedMs = performance.now();
  const paint = paintFor(stream);
  let rows: readonly JobRow[] = [];
  let drawn = 0;
  // A single write avoids flicker.
  const draw = (above = '', foot = true) => {
    if (signal.aborted) return;
    const columns = stream.columns ?? 80;
    const hint = paint.faint(`  ${clock(startedMs)}   Press Ctrl-C to stop and clean up`);
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
    print(job, line) {
      const head = `  ${clock(startedMs)}  ${job}`;
      // The report at the end has the complete text.
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
    print: write,
    end: () => undefined,
  };
}

/** The elapsed minutes and seconds. */
function clock(startedMs: number): string {
  const seconds = Math.floor((performance.now() - startedMs) / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}
