/** The table of the faults, as a page of Markdown. */
import type { JobFailure } from '@muster/job-api';
import type { Fault } from './fault.ts';
import type { Verdict } from './play-fault.ts';

/** A row for each fault, by its name. */
type Rows = ReadonlyMap<string, string>;

/** The rows of a page that `faultTable` has made. */
export function rowsOf(page: string): Map<string, string> {
  const rows = page.split('\n').flatMap((line) => {
    const name = /^\| `([\w-]+)` /.exec(line)?.[1];
    return name === undefined ? [] : [[name, line.replaceAll(/ {2,}/g, ' ')] as const];
  });
  return new Map(rows);
}

export function rowOf({ fault, said, answer, wrong }: Verdict): string {
  const first = answer?.findings.slice(0, 2).map((line) => line.trim());
  const cells = [
    `\`${fault.name}\``,
    fault.resource.kind,
    fault.what,
    `\`${withoutAges(answer?.headline ?? '')}\``,
    said === undefined ? withoutAges(first?.join(' ') ?? '') : causeOf(fault, said),
    `\`${(answer?.next[0] ?? '').replace(/ --kubeconfig \S+$/, '')}\``,
    wrong.length === 0 ? 'yes' : `no: ${wrong.join('; ')}`,
  ];
  return `| ${cells.map(cell).join(' | ')} |`;
}

/** @param names of all faults, in the order of the page */
export function faultTable(names: readonly string[], rows: Rows): string {
  const played = names.flatMap((name) => rows.get(name) ?? []);
  const right = played.filter((row) => row.endsWith('| yes |')).length;
  return `# Fifty ways to break a job

Each of these faults is brought about in a real job on a local cluster of two real nodes. The page has what \`muster why\` prints of it: its
first line, and the first step that it proposes. The cause of a job that has failed is \`status.firstFailure\`, when that changes no more:
the pod that failed by itself, the class of its failure ([what they mean](recovery.md#what-failed-first)), and its reason, end and error. Of other
jobs it is the rest of what \`muster why\` prints, shortened.

\`npm run faults\` plays all of them, \`npm run faults -- <fault>...\` those that are named. Each replaces its row, which is checked against
\`tools/faults/src/answers.ts\`. It takes Linux and root, as every local cluster with real nodes does.

**${right} of ${names.length} are right.**

| fault | kind | what is done | first line of \`muster why\` | cause | next step | right |
| ----- | ---- | ------------ | -------------------------- | ----- | --------- | ----- |
${played.join('\n')}
`;
}

/** The next run prints other ones. */
function withoutAges(text: string): string {
  return text.replaceAll(/\b\d+(?:[dhms]\d*)+ ago/g, '… ago');
}

function causeOf(fault: Fault, said: JobFailure): string {
  const pod = said.pod.replace(`${fault.name}-`, '');
  return [pod, said.class, detailOf(said)].join('; ');
}

function detailOf({ reason, exitCode, signal, container, message }: JobFailure): string {
  const end = exitCode === undefined ? '' : `${exitCode}${signal === undefined ? '' : ` ${signal}`}`;
  const lastLine = message?.trim().split('\n').at(-1) ?? '';
  const words = lastLine.length > 90 ? `${lastLine.slice(0, 89)}…` : lastLine;
  return [reason, end, container, words].filter((part) => part !== undefined && part !== '').join('; ');
}

/** As a cell of a table may have it. */
function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;');
}
