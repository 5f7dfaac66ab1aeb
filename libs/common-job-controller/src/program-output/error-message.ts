/**
 * The part of a container's output that names the error. Launchers (torchrun, mpirun, hydra's mpiexec, horovodrun) print a report of
 * their own below the error of the program that they have run, and Ray and Python print tracebacks around it: the last lines of an output
 * seldom say what went wrong.
 */
import { launcherReports, isLauncherLine, type Report } from './launcher-reports.ts';
import { namesLostPeer, namesUnreachedPeer } from './peer-loss.ts';
import { linesOf, type Line } from './output-lines.ts';
import { pythonExceptions, type PythonException } from './python-exceptions.ts';

const LONGEST = 300;

/** Of two messages in one. */
const LONGEST_PART = 140;

/** A program that prints more than this after an exception has handled it. */
const MOST_LINES_AFTER = 15;

/** At most 300 characters: one line where the form of the output is known, or else its last lines. Undefined where there is none. */
export function errorMessage(output: string | undefined): string | undefined {
  const lines = linesOf((output ?? '').replace(RUNTIME_PREFIX, ''));
  const { reports, rest } = launcherReports(lines);
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

/** The text that tells whether a program has lost a peer: its own exception where there is one, or else all of its output. */
function peerLossText(output: string | undefined): string {
  const { reports, rest } = launcherReports(linesOf(output ?? ''));
  const exception = causeAmong(pythonExceptions(rest), reports, rest);
  return exception === undefined ? (output ?? '') : `${exception.text}\n${exception.root ?? ''}`;
}

/** An end of a container, or whatever else has a message. Such objects are never changed, only replaced. */
export interface Said {
  readonly message?: string | undefined;
}

/** `errorMessage` of its message. It is parsed once, however often it is asked for. */
export const errorOf = once(({ message }) => errorMessage(message));

/** `peerLossText` of its message, parsed once. */
export const peerLossOf = once(({ message }) => peerLossText(message));

function once<Result>(read: (said: Said) => Result): (said: Said) => Result {
  const known = new WeakMap<Said, { readonly result: Result }>();
  return (said) => {
    const { result } = known.get(said) ?? { result: read(said) };
    known.set(said, { result });
    return result;
  };
}

/** What containerd and runc write before the reason why a container cannot be started: `exec: "trian.py": executable file not found`. */
const RUNTIME_PREFIX = /^failed to create (?:containerd )?task: .{0,400}?unable to start container process: /;

/** Errors of ssh, of shells, of Python's own start and of execvp. */
const KNOWN_ERRORS =
  /^ssh: |Permission denied|Host key verification failed|kex_exchange_identification|can't open file|Error while finding module|No module named|not found$|execvp error|^Fatal error in |what\(\): |No such file or directory|Exec format error|cannot execute|unbound variable/;

/**
 * Under a launcher several processes fail: the one that the launcher names, or the first that did not fail because of another. A program
 * that is alone ends with its last exception.
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

/** Of the libraries of PyTorch: `[W1126 04:09:52.437 socket.cpp:759] …`. A job that waits for its peers prints many of them. */
const LOGGED_WARNING = /^\[?W\d{4} [\d:.]+ .*\.(?:cpp|cc|cu|h|py):\d+\]/;

/** What a shell prints of a child that a signal has ended. */
const KILLED_CHILD =
  /^(?:.*: line \d+: +\d+ )?(?:Segmentation fault|Aborted|Killed|Bus error|Illegal instruction|Floating point exception)(?: \(core dumped\))?(?: .*)?$/;

/** The last lines, whole ones if possible. */
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
