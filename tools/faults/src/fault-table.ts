/** Formats the faults as a Markdown page. */
import type { JobFailure } from '@muster/job-api';
import type { Fault } from './fault.ts';
import type { FaultResult } from './play-fault.ts';

/** Rows by the name of the fault. */
type Rows = ReadonlyMap<string, string>;

/** The rows of a page written by `faultTable`. */
export function rowsOf(page: string): Map<string, string> {
  const rows = page.split('\n').flatMap((line) => {
    const name = /^\| `([\w-]+)` /.exec(line)?.[1];
    return name === undefined ? [] : [[name, line.replaceAll(/ {2,}/g, ' ')] as const];
  });
  return new Map(rows);
}

export function rowOf({ fault, failure, answer, wrong }: FaultResult): string {
  const first = answer?.findings.slice(0, 2).map((line) => line.trim());
  const cells = [
    `\`${fault.name}\``,
    fault.resource.kind,
    fault.what,
    `\`${withoutAges(answer?.headline ?? '')}\``,
    withoutLinks(failure === undefined ? withoutAges(first?.join(' ') ?? '') : causeOf(fault, failure)),
    `\`${(answer?.next[0] ?? '').replace(/ --kubeconfig \S+$/, '')}\``,
    wrong.length === 0 ? 'yes' : `no: ${wrong.join('; ')}`,
  ];
  return `| ${cells.map(cell).join(' | ')} |`;
}

/** @param names of all faults, in the order of the page */
export function faultTable(names: readonly string[], rows: Rows): string {
  const played = names.flatMap((name) => rows.get(name) ?? []);
  const right = played.filter((row) => row.endsWith('| yes |')).length;
  return `# Faults, and what muster why reports

Each fault was caused in a real job on a local cluster with two real nodes. The table has the first line and the first next step of
\`muster why\`. For a failed job, the cause is \`status.firstFailure\` after it has settled: the pod that failed first, the class of the failure
([classes](recovery.md#what-failed-first)), its reason, exit code and error. For other jobs, it is the rest of the output, shortened.

\`npm run faults\` plays all faults, \`npm run faults -- <fault>...\` only the named ones. Each fault replaces its row. Expected texts are in
\`tools/faults/src/answers.ts\`. It needs Linux and root, for a local cluster with real nodes.

**${right} of ${names.length} are as expected.**

| fault | kind | what happens | first line of \`muster why\` | cause | next step | as expected |
| ----- | ---- | ------------ | -------------------------- | ----- | --------- | ----------- |
${played.join('\n')}
`;
}

/** Addresses in a program's output lead nowhere. */
function withoutLinks(text: string): string {
  return text.replaceAll('://', ':\\/\\/');
}

/** Ages differ in each run. */
function withoutAges(text: string): string {
  return text.replaceAll(/\b\d+(?:[dhms]\d*)+ ago/g, '… ago');
}

function causeOf(fault: Fault, failure: JobFailure): string {
  const pod = failure.pod.replace(`${fault.name}-`, '');
  return [pod, failure.class, detailOf(failure)].join('; ');
}

function detailOf({ reason, exitCode, signal, container, message }: JobFailure): string {
  const end = exitCode === undefined ? '' : `${exitCode}${signal === undefined ? '' : ` ${signal}`}`;
  const lastLine = message?.trim().split('\n').at(-1) ?? '';
  const text = lastLine.length > 90 ? `${lastLine.slice(0, 89)}…` : lastLine;
  return [reason, end, container, text].filter((part) => part !== undefined && part !== '').join('; ');
}

/** Escapes a cell of a Markdown table. */
function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;');
}
