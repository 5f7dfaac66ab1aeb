/**
 * A reconcile run without values of environment variables. The recorded plan is that of the hidden World, so a value that the
 * operator copies into an object or a message is not recorded, either. The decision must be the same as the one carried out.
 */
import { objectsOf, planOrFailure, type Plan, type PlannedRun, type World } from '@muster/common-job-controller';
import type { HiddenValues } from './hidden-values.ts';
import type { AdapterOf } from './replay.ts';
import { plannedRunOf, recordOf, type RunRecord } from './run-record.ts';

/** Undefined if the run would have another plan without the values: such a run cannot be recorded. */
export function hiddenRun(values: HiddenValues, run: PlannedRun): PlannedRun | undefined {
  const hidden = values.in(run.world);
  if (hidden === run.world) return run;
  const { adapter, settings } = run;
  const world = withTranslatedDigests(run, hidden);
  const { plan } = planOrFailure(adapter, world, settings);
  return decisionOf(plan) === decisionOf(run.plan) ? { adapter, settings, world, plan } : undefined;
}

/**
 * The same for a recorded run, which may have been recorded with the values. A run of a kind that no operator of this version
 * runs cannot be planned: it is undefined, unless it has nothing to hide.
 */
export function hiddenRecord(values: HiddenValues, record: RunRecord, adapterOf: AdapterOf): RunRecord | undefined {
  const { world, plan } = record;
  if (values.in(world) === world && values.in(plan) === plan) return record;
  const adapter = adapterOf(record.kind);
  if (adapter === undefined) return undefined;
  const run = plannedRunOf(adapter, record);
  // The plan of this version: that of the recording version is only recorded.
  const replayed = planOrFailure(adapter, run.world, run.settings).plan;
  const hidden = hiddenRun(values, { ...run, plan: replayed });
  return hidden && { ...record, ...recordOf(hidden) };
}

/** What the plan does, without the content of objects and the messages. */
function decisionOf({ status, events, writes, requeueAfterMs, validForMs }: Plan): string {
  const { conditions = [], restartCount, state } = status?.status ?? {};
  return JSON.stringify([
    status === undefined
      ? null
      : [state, restartCount, conditions.map(({ type, status: is, reason }) => [type, is, reason])],
    events.map(({ reason }) => reason),
    writes.map((write) => [write.op, 'object' in write ? [write.resource.kind, write.object.metadata?.name] : null]),
    [requeueAfterMs, validForMs],
  ]);
}

/** Annotations with a digest of a template, which contains environment variables. */
const DIGESTS = ['muster.dev/template', 'ray.io/upgrade-strategy-recreate-hash'];

/** Objects have the digest of their real template. It becomes that of the hidden template, so that both are still equal. */
function withTranslatedDigests({ adapter, settings, world }: PlannedRun, hidden: World): World {
  const objects = [...world.pods, ...world.ownedResources.map(({ object }) => object)];
  const hasDigest = objects.some(({ metadata }) => DIGESTS.some((key) => metadata?.annotations?.[key] !== undefined));
  if (!hasDigest) return hidden;
  const digests = new Map<string, string>();
  try {
    const after = digestsIn(objectsOf(adapter, hidden.manifest, settings));
    for (const [object, digest] of digestsIn(objectsOf(adapter, world.manifest, settings))) {
      digests.set(digest, after.get(object) ?? digest);
    }
  } catch {
    // A spec that cannot be planned has no objects whose digest matters.
    return hidden;
  }
  const translated = <T extends { readonly metadata?: object }>(object: T): T => {
    const { annotations = {} } = Object(object.metadata) as { annotations?: Record<string, string> };
    const changed = DIGESTS.filter((key) => digests.has(annotations[key] ?? ''));
    if (changed.length === 0) return object;
    const now = Object.fromEntries(changed.map((key) => [key, digests.get(annotations[key] ?? '') ?? '']));
    return { ...object, metadata: { ...object.metadata, annotations: { ...annotations, ...now } } };
  };
  return {
    ...hidden,
    pods: hidden.pods.map(translated),
    ownedResources: hidden.ownedResources.map(({ kind, object }) => ({ kind, object: translated(object) })),
  };
}

function digestsIn(objects: ReturnType<typeof objectsOf>): Map<string, string> {
  return new Map(
    objects.flatMap(({ kind, metadata }) =>
      DIGESTS.flatMap((key): [string, string][] => {
        const digest = metadata?.annotations?.[key];
        return digest === undefined ? [] : [[`${kind} ${metadata?.name} ${key}`, digest]];
      }),
    ),
  );
}
