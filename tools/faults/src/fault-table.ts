/** The table of the faults, as a page of Markdown. */
import type { JobFailure } from '@muster/job-api';
import type { Verdict } from './play-fault.ts';

export function faultTable(verdicts: readonly Verdict[]): string {
  const right = verdicts.filter(({ isRight }) => isRight).length;
  const rows = verdicts.map(({ fault, said, isRight }) => [
    fault.resource.kind,
    fault.what,
    said === undefined ? 'nothing' : said.pod.replace(`${fault.name}-`, ''),
    said?.class ?? '',
    said === undefined ? '' : detailOf(said),
    isRight ? 'yes' : `no: ${expectedOf(verdicts, fault.name)}`,
  ]);
  return `# What the status says of faults

Each of these faults is brought about in a real job on a local cluster of two real nodes, and \`status.firstFailure\` is read when it says no
more. \`npm run faults\` makes this page; it takes Linux and root, as every local cluster with real nodes does.

**${right} of ${verdicts.length} are right**: the pod that failed by itself, and the class of its failure ([what they mean](recovery.md#what-failed-first)).

| kind | what is done | pod | class | reason, end, last words | right |
| ---- | ------------ | --- | ----- | ----------------------- | ----- |
${rows.map((cells) => `| ${cells.map(cell).join(' | ')} |`).join('\n')}
`;
}

function detailOf({ reason, exitCode, signal, container, message }: JobFailure): string {
  const end = exitCode === undefined ? '' : `${exitCode}${signal === undefined ? '' : ` ${signal}`}`;
  const lastLine = message?.trim().split('\n').at(-1) ?? '';
  const words = lastLine.length > 90 ? `${lastLine.slice(0, 89)}…` : lastLine;
  return [reason, end, container, words].filter((part) => part !== undefined && part !== '').join('; ');
}

function expectedOf(verdicts: readonly Verdict[], name: string): string {
  const { expected } = verdicts.find(({ fault }) => fault.name === name)?.fault ?? {};
  return Object.entries(expected ?? {})
    .map(([field, value]) => `${field} ${String(value)}`)
    .join(', ');
}

/** As a cell of a table may have it. */
function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;');
}
