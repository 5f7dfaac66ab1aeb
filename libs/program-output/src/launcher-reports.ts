/** Separates the reports of launchers from the lines of the programs that they run. */
import type { Line } from './output-lines.ts';
import { PADDLE_LINES, paddleReport } from './paddle-report.ts';

export interface Report {
  readonly text: string;
  /** Whether it names a signal, names the cause, or only says that a process failed. */
  readonly kind: 'signal' | 'cause' | 'end';
  readonly rank?: number;
  readonly lines: readonly Line[];
}

const RULE = /^\s*([=*-])\1{19,}\s*$/;

export function launcherReports(lines: readonly Line[]): {
  readonly reports: readonly Report[];
  readonly rest: Line[];
} {
  const reports: Report[] = [];
  const rest: Line[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at];
    const mark = line && RULE.exec(line.text)?.[1];
    if (line === undefined || mark === undefined) {
      const ofPaddle = line && paddleReport(line.text);
      if (ofPaddle !== undefined) reports.push({ ...ofPaddle, lines: [] });
      else if (line !== undefined) rest.push(line);
      continue;
    }
    const end = endOfBox(lines, at, mark);
    const body = lines.slice(at + 1, end);
    const report = end === undefined ? undefined : reportOf(body);
    if (report === undefined || end === undefined) continue;
    reports.push(report);
    at = end;
  }
  const [first] = reports;
  const text = exitString(rest);
  const isHydra = first !== undefined && text !== undefined && reports.length === 1;
  return { reports: isHydra ? [withExitString(first, text)] : reports, rest };
}

const MOST_LINES = 400;

function endOfBox(lines: readonly Line[], begin: number, mark: string): number | undefined {
  const end = lines.slice(begin + 1, begin + MOST_LINES).findIndex(({ text }) => RULE.exec(text)?.[1] === mark);
  return end === -1 ? undefined : begin + 1 + end;
}

function reportOf(body: readonly Line[]): Report | undefined {
  const texts = body.map(({ text }) => text);
  const [first = ''] = texts;
  if (first.endsWith(' FAILED')) return ofTorch(first.slice(0, -' FAILED'.length).trim(), body);
  if (first.includes('BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES')) return ofHydra(texts);
  return OPEN_MPI.test(texts.join('\n')) ? ofOpenMpi(texts) : undefined;
}

const ROOT_CAUSE = 'Root Cause (first observed failure):';

function ofTorch(script: string, body: readonly Line[]): Report {
  const begin = body.findIndex(({ text }) => text.trim() === ROOT_CAUSE);
  const cause = body.slice(begin + 1);
  const value = (field: string) =>
    cause
      .map(({ text }) => text.trim())
      .find((text) => new RegExp(`^${field} *: `).test(text))
      ?.replace(/^\w+ *: /, '');
  const rank = value('rank') ?? '';
  const signal = /^Signal \d+ .*/.exec(value('traceback') ?? '')?.[0];
  const exit = `exitcode ${(value('exitcode') ?? '').replace(/ \(pid: .*/, '')}`;
  // A program that gets SIGABRT has printed the cause itself.
  const isSignal = signal !== undefined && !signal.startsWith('Signal 6 ');
  return {
    text: `${script} failed: rank ${rank}: ${signal ?? exit}`,
    kind: isSignal ? 'signal' : 'end',
    ...(/^\d/.test(rank) && { rank: Number.parseInt(rank, 10) }),
    lines: cause.map(({ text }) => ({ text: text.replace(/^ *traceback : /, '  ') })),
  };
}

function ofHydra(texts: readonly string[]): Report {
  const fields = texts
    .map((text) => text.replace(/^= +/, '').trim())
    .filter((text) => /^(?:RANK|PID|EXIT|KILLED)/.test(text));
  const text = fields.join(', ');
  return { text, kind: text.includes('KILLED BY SIGNAL') ? 'signal' : 'end', lines: [] };
}

const EXIT_STRING = /^YOUR APPLICATION TERMINATED WITH THE EXIT STRING: (.*)/;

function exitString(lines: readonly Line[]): string | undefined {
  return lines.map(({ text }) => EXIT_STRING.exec(text)?.[1]?.trim()).find((text) => text !== undefined);
}

function withExitString(report: Report, text: string): Report {
  return { ...report, text: `${report.text}: ${text}`, kind: /\(signal (?!6\))/.test(text) ? 'signal' : report.kind };
}

/** Open MPI and PRRTE frame their messages with rules. Programs print rules, too. */
const OPEN_MPI =
  /\b(?:mpirun|mpiexec|orterun|prterun|ORTE|PRTE|PMIx|Open MPI|MPI_[A-Z]\w+|Primary job|slots available|daemon|remote execution)\b/i;

const ONLY_AN_END = /non-zero (?:status|exit code)|a non-zero|MPI_ABORT was invoked|Primary job/;

function ofOpenMpi(texts: readonly string[]): Report {
  const paragraphs = paragraphsOf(texts);
  const [first = [], second = []] = paragraphs;
  const firstSentence = first
    .join(' ')
    .replaceAll(/ {2,}/g, ' ')
    .replace(/ This usually is caused by:$/, '');
  const text = firstSentence.endsWith(':') ? `${firstSentence} ${second.slice(0, 3).join(', ')}`.trim() : firstSentence;
  const isSignal = /exited on signal (?!6 )\d+/.test(text);
  return { text, kind: isSignal ? 'signal' : ONLY_AN_END.test(text) ? 'end' : 'cause', lines: [] };
}

function paragraphsOf(texts: readonly string[]): string[][] {
  const paragraphs: string[][] = [[]];
  for (const text of texts.map((each) => each.replaceAll(/\s+/g, ' ').trim())) {
    if (text !== '') paragraphs.at(-1)?.push(text);
    else if (paragraphs.at(-1)?.length !== 0) paragraphs.push([]);
  }
  return paragraphs.filter((paragraph) => paragraph.length > 0);
}

/** Lines of a launcher or ssh outside a frame that do not name an error of the program. */
const LAUNCHER_LINES = [
  /^(?:[EWI]\d{4} |\[?\d{4}-\d\d-\d\d).* torch[./]distributed[./]/,
  /^(?:ERROR|WARNING|INFO):torch\.distributed\./,
  /^Process \d+ exit with status code/,
  /^Terminating remaining workers/,
  /^\d+ total processes failed to start/,
  /^YOUR APPLICATION TERMINATED/,
  /^This typically refers to a problem with your application/,
  /^Please see the FAQ page/,
  /^\[(?:mpiexec|proxy)[:@][^\]]*\](?!.*execvp error)/,
  /^\[[\w.-]+:\d+\] \d+ more process(?:es)? ha/,
  /^\[[\w.-]+:\d+\] Set MCA parameter/,
  /^Warning: Permanently added/,
  ...PADDLE_LINES,
];

export function isLauncherLine(text: string): boolean {
  return LAUNCHER_LINES.some((form) => form.test(text));
}
