import type { Line } from './output-lines.ts';

export interface PythonException {
  /** For example `ValueError: no data`. */
  readonly text: string;
  /** The first exception of the chain. */
  readonly root?: string;
  readonly rank?: number;
  /** Whether it only reports the failure of a child process. */
  readonly isLauncher: boolean;
  readonly begin: number;
  readonly end: number;
}

const FRAME = /", line \d+/;
const BEGIN = 'Traceback (most recent call last):';
const CHAIN = /^\s*(?:The above exception was the direct cause|During handling of the above exception)/;
const EXCEPTION = /^[A-Za-z_][\w.]*(?:\([\w.]+\))?(?::|$)/;
const LAUNCHER = /ChildFailedError|CalledProcessError|Horovod detected|SignalException/;

/** Lines of a frame above the exception: the frame, its code, its markers. */
const MOST_LINES_OF_FRAME = 8;

/** In the order of their ends. Lines with ranks are parsed per process. */
export function pythonExceptions(lines: readonly Line[]): PythonException[] {
  const numbered = lines.map((line, at) => ({ ...line, at }));
  const processes = Map.groupBy(numbered, ({ rank }) => rank);
  return [...processes.values()].flatMap((own) => exceptionsOf(own)).sort((a, b) => a.end - b.end);
}

type NumberedLine = Line & { readonly at: number };

function exceptionsOf(lines: readonly NumberedLine[]): PythonException[] {
  const found: PythonException[] = [];
  let isChained = false;
  let begin: number | undefined;
  for (const [index, { text, rank, at }] of lines.entries()) {
    if (CHAIN.test(text)) isChained = true;
    if (text.trim() === BEGIN) begin ??= at;
    if (!isEnd(lines, index)) continue;
    const before = isChained ? found.pop() : undefined;
    const { printed, taken } = message(lines, index);
    const root = before?.root ?? before?.text;
    found.push({
      text: printed,
      ...(root !== undefined && { root }),
      ...(rank !== undefined && { rank }),
      isLauncher: LAUNCHER.test(text),
      begin: before?.begin ?? begin ?? lines[firstFrame(lines, index)]?.at ?? at,
      end: lines[index + taken]?.at ?? at,
    });
    isChained = false;
    begin = undefined;
  }
  return found;
}

/** Whether the line names the exception: it is below a frame, not indented deeper than the traceback, and no frame follows. */
function isEnd(lines: readonly NumberedLine[], index: number): boolean {
  const { text = '' } = lines[index] ?? {};
  if (!EXCEPTION.test(text.trim()) || FRAME.test(text)) return false;
  const depth = depthOf(text);
  const above = lines.slice(Math.max(0, index - MOST_LINES_OF_FRAME), index).map((line) => line.text);
  const outer = above.findLastIndex((line) => depthOf(line) <= depth && !FRAME.test(line));
  const hasFrame = above.slice(outer + 1).some((line) => FRAME.test(line));
  const isBelow = depthOf(above.at(-1) ?? '') > depth;
  const next = lines[index + 1]?.text ?? '';
  return hasFrame && isBelow && !(FRAME.test(next) && depthOf(next) > depth);
}

function firstFrame(lines: readonly NumberedLine[], index: number): number {
  const isOfFrame = ({ text }: Line) => depthOf(text) > 0 || FRAME.test(text);
  return lines.findLastIndex((line, at) => at < index && !isOfFrame(line)) + 1;
}

function depthOf(text: string): number {
  return text.search(/\S|$/);
}

const MOST_LINES_OF_LIST = 3;

/** Appends NCCL's last error, or the lines below a text that ends with a colon. */
function message(lines: readonly NumberedLine[], index: number): { readonly printed: string; readonly taken: number } {
  const text = lines[index]?.text.trim() ?? '';
  const below = lines.slice(index + 1, index + 1 + MOST_LINES_OF_LIST).map((line) => line.text.trim());
  const last = below.indexOf('Last error:');
  const reason = lines[index + 2 + last]?.text.trim() ?? '';
  if (last !== -1 && reason !== '') return { printed: `${text}: ${reason}`, taken: last + 2 };
  if (/^[\w.]+:$/.test(text)) return { printed: LAUNCHER.test(text) ? '' : text.slice(0, -1), taken: 0 };
  if (!text.endsWith(':')) return { printed: text, taken: 0 };
  const [list = []] = [below.slice(0, [...below, ''].indexOf(''))];
  return { printed: [text, list.join(', ')].join(' ').trim(), taken: list.length };
}
