/** The report with which C++ libraries of Google (XLA, gRPC) abort a process: a fatal line, and a stack trace. */
import type { Line } from './output-lines.ts';

export interface FatalReport {
  /** Undefined if the start of the report is cut. */
  readonly text: string | undefined;
  /** All other lines. */
  readonly rest: Line[];
}

const TRACE = '*** Check failure stack trace: ***';
const FRAME = /^ +@ +0x[\da-f]+ /;
const FATAL = /^F\d{4} [\d:.]+ +\d+ [\w./-]+:\d+\] (.*)/;
/** Its own lines and the status may contain line breaks. */
const MOST_LINES = 20;
/** JAX repeats the status. */
const REPEATED = 'Polled an error from coordination service';
const ADVICE = /^(Terminating process because the JAX distributed service detected fatal errors)\..* absl::Status: /;

export function fatalReport(lines: readonly Line[]): FatalReport {
  const trace = lines.findLastIndex(({ text }) => text === TRACE);
  if (trace === -1) return { text: undefined, rest: [...lines] };
  const frames = lines.slice(trace + 1).findIndex(({ text }) => !FRAME.test(text));
  const end = frames === -1 ? lines.length : trace + 1 + frames;
  const above = lines.slice(Math.max(0, trace - MOST_LINES), trace);
  const begin = above.findLastIndex(({ text }) => FATAL.test(text));
  const own = begin === -1 ? [] : above.slice(begin);
  const rest = [...lines.slice(0, trace - own.length), ...lines.slice(end)];
  return {
    text: own.length === 0 ? undefined : statusOf(own),
    rest: rest.filter(({ text }) => !text.includes(REPEATED)),
  };
}

function statusOf(own: readonly Line[]): string {
  const [first = '', ...others] = own.map(({ text }) => text.trim());
  const message = FATAL.exec(first)?.[1]?.replace(ADVICE, '$1: ') ?? '';
  return [message, ...others.slice(0, [...others, ''].indexOf(''))].join(' ');
}
