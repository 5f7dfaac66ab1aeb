/** Formats the output of `muster replay`. */
import type { Replay, Replayed, RunRecord } from '@muster/recording';
import { decisionsOf } from '../history/decisions.ts';
import { recordedAdapter } from './recorded-adapters.ts';

/** Values of examples are truncated to this number of characters. */
const LONGEST_VALUE = 600;

/** For standard output. */
export function replayReport({ runs, differing, groups }: Replay): string {
  const planned = `${runs} recorded ${runs === 1 ? 'run' : 'runs'} planned again`;
  if (differing === 0) return `${planned}: no differences\n`;
  const found = groups.map(({ count, kind, what, example }) =>
    [
      `${count} x ${kind}: ${what}`,
      `  for example ${example.job}, ${example.place}`,
      `  recorded: ${shown(example.recorded)}`,
      `  replayed: ${shown(example.replayed)}`,
      '',
    ].join('\n'),
  );
  return `${planned}: ${differing} with a different result\n\n${found.join('\n')}`;
}

/** Most lists of differences of a run. */
const MOST_DIFFERENCES = 5;

/** A run whose plan differs: the state of its pods, and the decisions that only one of the plans has. */
export function changedRun({ recorded, record, differences }: Replayed, place: string): string {
  const { world, kind } = recorded;
  const { namespace, name } = world.manifest.metadata ?? {};
  const [before, after] = [decisions(recorded), decisions(record)];
  const [gone, added] = [
    before.filter((each) => !after.includes(each)),
    after.filter((each) => !before.includes(each)),
  ];
  const fields = [...new Set(differences.map(({ what }) => what))];
  const details = fields.slice(0, MOST_DIFFERENCES).join('; ');
  const more = fields.length > MOST_DIFFERENCES ? `; ${fields.length - MOST_DIFFERENCES} more` : '';
  return [
    `${kind.resource} ${namespace}/${name}, ${place}: ${podsOf(world)}`,
    ...gone.map((each) => `  - ${shown(each)}`),
    ...added.map((each) => `  + ${shown(each)}`),
    ...(gone.length + added.length === 0 ? [`  same decisions; differs in ${details}${more}`] : []),
    '',
  ].join('\n');
}

function decisions(record: RunRecord): string[] {
  return decisionsOf(record, { adapter: recordedAdapter(record.kind), earlierPods: new Set() });
}

function podsOf({ pods }: RunRecord['world']): string {
  if (pods.length === 0) return 'no pods';
  const phases = Map.groupBy(pods, ({ status, metadata }) =>
    metadata?.deletionTimestamp === undefined ? (status?.phase ?? 'Pending') : 'terminating',
  );
  return `pods: ${[...phases].map(([phase, group]) => `${group.length} ${phase}`).join(', ')}`;
}

/** The runs that were not planned again, for standard error. */
export function leftOut({ unreadable, unknownKinds }: Replay): string[] {
  return [
    ...[...unknownKinds].map(
      ([kind, count]) => `${count} recorded runs are left out: no operator of this version runs ${kind}`,
    ),
    ...[...unreadable].map(
      ([error, { count, place }]) => `${count} recorded runs cannot be planned again, for example ${place}: ${error}`,
    ),
  ];
}

function shown(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'nothing');
  return text.length <= LONGEST_VALUE ? text : `${text.slice(0, LONGEST_VALUE)}… (${text.length} characters)`;
}
