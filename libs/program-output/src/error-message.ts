/**
 * The part of a container's output that names the error. Launchers (torchrun, Paddle's, mpirun, hydra's mpiexec, horovodrun), Ray and Python print
 * reports around it, so the last lines rarely name the cause.
 */
import { fatalReport } from './fatal-report.ts';
import { launcherReports, isLauncherLine, type Report } from './launcher-reports.ts';
import { namesLostPeer, namesUnreachedPeer } from './peer-loss.ts';
import { linesOf, type Line } from './output-lines.ts';
import { pythonExceptions, type PythonException } from './python-exceptions.ts';

const LONGEST = 300;

/** Limit for each of two joined messages, in characters. */
const LONGEST_PART = 140;

/** A program that prints more lines than this after an exception has handled it. */
const MOST_LINES_AFTER = 15;

/** At most 300 characters: one line if the output's format is known, otherwise the last lines. Undefined for an empty output. */
export function errorMessage(output: string | undefined): string | undefined {
  const lines = linesOf((output ?? '').replace(RUNTIME_PREFIX, ''));
  const { reports, rest } = reportsIn(lines);
  const exceptions = pythonExceptions(rest);
  const signal = reports.find((report) => report.kind === 'signal');
  if (signal !== undefined) return start(signal.text);
  const inReport = reports.flatMap(({ lines: own }) => pythonExceptions(own)).filter(({ isLauncher }) => !isLauncher);
  const exception = inReport.at(-1) ?? causeAmong(exceptions, reports, rest);
  if (exception !== undefined) return inOneLine(exception);
  const launcher = exceptions.findLast(({ isLauncher, text }) => isLauncher && text !== '');
  const own = withoutTracebacks(rest, exceptions).filter(({ text }) => text.trim() !== '' && !isLauncherLine(text));
  if (reports.length === 0 && launcher === undefined) return ending(rest);
  const known = own.find(({ text }) => KNOWN_ERRORS.test(text))?.text.trim();
  if (known !== undefined) return start(known);
  const specific = reports.find(({ kind }) => kind === 'cause');
  if (specific !== undefined) return start(specific.text);
  const report = reports.at(-1)?.text ?? launcher?.text ?? '';
  const last = own.at(-1)?.text.trim();
  return start(last === undefined ? report : `${start(last, LONGEST_PART)} (${report})`);
}

function reportsIn(lines: readonly Line[]): ReturnType<typeof launcherReports> {
  const fatal = fatalReport(lines);
  const { reports, rest } = launcherReports(fatal.rest);
  const { text } = fatal;
  return { reports: text === undefined ? reports : [...reports, { text, kind: 'cause', lines: [] }], rest };
}

function peerLossText(output: string | undefined): string {
  const { reports, rest } = reportsIn(linesOf(output ?? ''));
  const exception = causeAmong(pythonExceptions(rest), reports, rest);
  return exception === undefined ? (output ?? '') : `${exception.text}\n${exception.root ?? ''}`;
}

/** A termination, or anything else with a message. Such objects are immutable. */
export interface LastOutput {
  readonly message?: string | undefined;
}

export const errorOf = once(({ message }) => errorMessage(message));

export const peerLossOf = once(({ message }) => peerLossText(message));

function once<Result>(read: (printed: LastOutput) => Result): (printed: LastOutput) => Result {
  const known = new WeakMap<LastOutput, { readonly result: Result }>();
  return (printed) => {
    const { result } = known.get(printed) ?? { result: read(printed) };
    known.set(printed, { result });
    return result;
  };
}

/** The prefix of containerd and runc before the reason, for example `exec: "trian.py": executable file not found`. */
const RUNTIME_PREFIX = /^failed to create (?:containerd )?task: .{0,400}?unable to start container process: /;

/** Errors of ssh, shells, Python's start, and execvp. */
const KNOWN_ERRORS =
  /^ssh: |Permission denied|Host key verification failed|kex_exchange_identification|can't open file|Error while finding module|No module named|not found$|execvp error|^Fatal error in |what\(\): |No such file or directory|Exec format error|cannot execute|unbound variable/;

/**
 * Under a launcher several processes fail: the cause is the one that the launcher names, or the first without a lost peer. Otherwise it is
 * the last exception.
 */
function causeAmong(
  exceptions: readonly PythonException[],
  reports: readonly Report[],
  lines: readonly Line[],
): PythonException | undefined {
  const own = exceptions.filter(({ isLauncher }) => !isLauncher);
  if (reports.length === 0 && own.length === exceptions.length) {
    const last = own.at(-1);
    const after = lines.slice((last?.end ?? 0) + 1).filter(({ text }) => text.trim() !== '');
    return after.length > MOST_LINES_AFTER ? undefined : last;
  }
  const rank = reports.find((report) => report.rank !== undefined)?.rank;
  const ofRank = own.filter((each) => rank !== undefined && each.rank === rank);
  return ofRank.at(-1) ?? own.find((each) => !isOfPeer(each)) ?? own[0];
}

function isOfPeer({ text, root = '' }: PythonException): boolean {
  return [text, root].some((each) => namesLostPeer(each) || namesUnreachedPeer(each));
}

function inOneLine({ text, root }: PythonException): string {
  if (root === undefined || root === text) return start(text);
  return `${start(text, LONGEST_PART)} (caused by ${start(root, LONGEST_PART)})`;
}

function withoutTracebacks(lines: readonly Line[], exceptions: readonly PythonException[]): Line[] {
  return lines.filter((_line, at) => !exceptions.some(({ begin, end }) => at >= begin && at <= end));
}

function start(text: string, longest = LONGEST): string {
  return text.length <= longest ? text : `${text.slice(0, longest - 1)}…`;
}

/**
 * PyTorch's log format: `[W1126 04:09:52.437 socket.cpp:759] …`. A job that waits for its peers prints many of them. And a report of Gloo,
 * which is no error.
 */
const LOGGED_WARNING = /^\[?W\d{4} [\d:.]+ .*\.(?:cpp|cc|cu|h|py):\d+\]|^\[Gloo\] Rank \d+ is connected to/;

const KILLED_CHILD =
  /^(?:.*: line \d+: +\d+ )?(?:Segmentation fault|Aborted|Killed|Bus error|Illegal instruction|Floating point exception)(?: \(core dumped\))?(?: .*)?$/;

/** The last lines, cut at a line start if possible. */
function ending(lines: readonly Line[]): string | undefined {
  const own = lines.filter((line) => !LOGGED_WARNING.test(line.text));
  const last = own.findLast((line) => line.text.trim() !== '')?.text.trim();
  if (last !== undefined && KILLED_CHILD.test(last)) return last;
  const text = own
    .map((line) => line.text)
    .join('\n')
    .trim();
  if (text === '') return undefined;
  if (text.length <= LONGEST) return text;
  const end = text.slice(-LONGEST);
  const lineEnd = end.indexOf('\n');
  return `…${(lineEnd === -1 || lineEnd === end.length - 1 ? end : end.slice(lineEnd + 1)).trim()}`;
}
