/** The result of a run as text. */
import type { Violation } from '../invariants/invariant.ts';
import { INVARIANTS } from '../invariants/invariants.ts';
import type { RunResult, RunSettings } from './run-campaign.ts';

const MOST_VIOLATIONS = 20;

export function reportOf(result: RunResult): string {
  const { seed, jobs, pods, changes, operatorWrites, auditedRequests, faults, violations, refused } = result;
  const caused = Object.entries(Object.groupBy(faults, ({ fault }) => fault)).map(
    ([fault, each]) => `  ${fault.padEnd(20)} ${each.length}${failuresOf(each.map(({ failure }) => failure))}`,
  );
  const held = INVARIANTS.map(({ name }) => {
    const count = violations.filter(({ invariant }) => invariant === name).length;
    return `  ${name.padEnd(28)} ${count === 0 ? 'held' : `${count} violations`}`;
  });
  return [
    `seed ${seed}: ${jobs} jobs, ${pods} pods, ${changes} changes, ${operatorWrites} writes and ${auditedRequests} requests of operators, ${result.clusterMinutes.toFixed(1)} minutes`,
    ...(result.previous === undefined
      ? []
      : [`the previous version is ${result.previous}, with ${result.previousWrites} of the writes`]),
    ...(Object.keys(refused).length > 0 ? [`users were refused: ${JSON.stringify(refused)}`] : []),
    ...(result.hasSettled
      ? []
      : ['something still changed at the end: invariants about the last state were not checked']),
    'faults:',
    ...caused,
    'invariants:',
    ...held,
    ...violations.slice(0, MOST_VIOLATIONS).map(violationLine),
    ...(violations.length > MOST_VIOLATIONS ? [`and ${violations.length - MOST_VIOLATIONS} more`] : []),
  ].join('\n');
}

/** The command that repeats a run. */
export function commandOf(settings: RunSettings, previous = settings.previous): string {
  const { seed, minutes, frameworks, kinds = frameworks, faults, jobs, mostPods, hasLarge, hasQueues, only } = settings;
  const lists = [`--kinds ${kinds.join(',')}`, `--faults ${faults.join(',')}`];
  const numbers = [`--seed ${seed}`, `--minutes ${minutes}`, `--jobs ${jobs}`, `--most-pods ${mostPods}`];
  return [
    'npm run campaign --',
    ...numbers,
    ...lists,
    ...(previous === undefined ? [] : [`--previous ${previous}`]),
    ...(hasLarge === true ? ['--large'] : []),
    ...(hasQueues === true ? ['--kueue'] : []),
    ...(only === undefined ? [] : [`--only ${only.join(',')}`]),
  ].join(' ');
}

function violationLine({ invariant, about, message, writtenBy = [] }: Violation): string {
  const writers = writtenBy.length === 0 ? '' : ` [written by ${writtenBy.join('; ')}]`;
  return `VIOLATION of ${invariant}: ${about} ${message}${writers}`;
}

function failuresOf(failures: readonly (string | undefined)[]): string {
  const known = failures.filter((failure) => failure !== undefined);
  return known.length === 0 ? '' : ` (${known.length} not caused: ${known[0]?.slice(0, 160)})`;
}
