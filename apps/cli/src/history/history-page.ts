/** Formats the history of a job. */
import type { HistoryEntry } from './job-history.ts';
import type { RecordedJob } from './recorded-job.ts';
import { styled } from '../terminal/output.ts';
import { wrapped } from '../terminal/wrap.ts';

export function historyPage({ kind, namespace, name, uid }: RecordedJob, entries: readonly HistoryEntry[]): string {
  const runs = entries.reduce((sum, each) => sum + each.runs, 0);
  const title = styled('bold', `${kind} ${namespace}/${name}`);
  const head = `${title} (UID ${uid}), ${runs} recorded ${runs === 1 ? 'run' : 'runs'}`;
  return `${head}\n\n${entries.map(entryText).join('')}`;
}

function entryText({ time, causes, decisions, runs, leftOut }: HistoryEntry): string {
  const gap =
    leftOut === 0
      ? []
      : [
          `(${leftOut} ${leftOut === 1 ? 'run' : 'runs'} of the operator before this ${leftOut === 1 ? 'was' : 'were'} not recorded)`,
        ];
  const quiet = decisions.length > 0 || runs === 0 ? [] : [`${runs} ${runs === 1 ? 'run' : 'runs'} without a decision`];
  const [first = quiet[0] ?? '', ...more] = [...gap, ...causes].map(inOneLine);
  const indent = ' '.repeat(time.length + 2);
  const rest = [...more, ...(causes.length === 0 ? [] : quiet)];
  return [
    `${time}  ${wrapped(first, indent).slice(indent.length)}\n`,
    ...rest.map((each) => `${wrapped(each, indent)}\n`),
    ...decisions.map((each) => `${wrapped(`=> ${inOneLine(each)}`, indent)}\n`),
  ].join('');
}

function inOneLine(text: string): string {
  return text.replaceAll(/\s*\n\s*/g, ' | ').trim();
}
