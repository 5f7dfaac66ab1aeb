/** The table of the faults, as a page of Markdown. */
import type { JobFailure } from '@muster/job-api';
import type { Fault } from './fault.ts';
import type { Verdict } from './play-fault.ts';

export function faultTable(verdicts: readonly Verdict[]): string {
  const right = verdicts.filter(({ wrong }) => wrong.length === 0).length;
  const rows = verdicts.map(({ fault, said, answer, wrong }) => [
    fault.resource.kind,
    fault.what,
    `\`${withoutAges(answer?.headline ?? '')}\``,
    said === undefined
      ? withoutAges(
          answer?.findings
            .slice(0, 2)
            .map((line) => line.trim())
            .join(' ') ?? '',
        )
      : causeOf(fault, said),
    `\`${answer?.next[0] ?? ''}\``,
    wrong.length === 0 ? 'yes' : `no: ${wrong.join('; ')}`,
  ]);
  return `# Forty ways to break a job

Each of these faults is brought about in a real job on a local cluster of two real nodes. The page has what \`muster why\` prints of it: its
first line, and the first command that it proposes. The cause of a job that has failed is \`status.firstFailure\`, when that changes no more:
the pod that failed by itself, the class of its failure ([what they mean](recovery.md#what-failed-first)), and its reason, end and error. Of other
jobs it is the first finding of \`muster why\`.

\`npm run faults\` makes this page, and checks each row against \`tools/faults/src/answers.ts\`; it takes Linux and root, as every local cluster with real
nodes does.

**${right} of ${verdicts.length} are right.**

| kind | what is done | first line of \`muster why\` | cause | next step | right |
| ---- | ------------ | -------------------------- | ----- | --------- | ----- |
${rows.map((cells) => `| ${cells.map(cell).join(' | ')} |`).join('\n')}
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
