/** What changed between the Worlds of two recorded reconcile runs of a job, in sentences. What planning does not read is not compared. */
import type { KubeObject } from '@muster/job-api';
import type { RunRecord } from '@muster/recording';
import { duration } from '../terminal/age.ts';
import { fieldChanges } from './field-changes.ts';
import { namesOf } from './names.ts';
import { podChanges } from './pod-changes.ts';

type World = RunRecord['world'];

/** @param before undefined for the first recorded run */
export function worldChanges(before: World | undefined, now: World): string[] {
  if (before === undefined) return firstSeen(now);
  return [
    ...jobChanges(before.manifest, now.manifest),
    ...podChanges(before.pods, now.pods),
    ...objectChanges(services(before), services(now)),
    ...objectChanges(owned(before), owned(now)),
    ...objectChanges(references(before), references(now)),
    ...kueueChanges(before, now),
    ...nodeChanges(before, now),
    ...refusals(before, now),
    ...conflicts(before, now),
    ...answers(before, now),
    ...(now.seenForMs < before.seenForMs ? ['another process of the operator began to run the job'] : []),
  ];
}

function firstSeen(world: World): string[] {
  const { manifest, pods } = world;
  const isNew = manifest.status === undefined || Object.keys(Object(manifest.status) as object).length === 0;
  const first = isNew ? 'the job was created' : 'this is the first recorded run; the job is older';
  return [first, ...(pods.length === 0 ? [] : [`${pods.length} ${pods.length === 1 ? 'pod exists' : 'pods exist'}`])];
}

function jobChanges(before: World['manifest'], now: World['manifest']): string[] {
  const { metadata: was = {} } = before;
  const { metadata: is = {} } = now;
  const fields = [
    ...fieldChanges('spec', before.spec, now.spec),
    ...fieldChanges('metadata.annotations', shown(was.annotations), shown(is.annotations)),
    ...fieldChanges('metadata.labels', was.labels, is.labels),
  ];
  return [
    ...(fields.length === 0 ? [] : [`the job was changed: ${fields.join('; ')}`]),
    ...(is.deletionTimestamp !== undefined && was.deletionTimestamp === undefined
      ? ['the deletion of the job was requested']
      : []),
  ];
}

/** Muster writes these itself. */
function shown(annotations: Readonly<Record<string, string>> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(annotations).filter(([key]) => key !== 'muster.dev/status'));
}

interface Known {
  /** Singular and plural: `Service` and `Services`. */
  readonly kind: readonly [string, string];
  readonly object: KubeObject | undefined;
}

function services({ services: all }: World): Map<string, Known> {
  return new Map(all.map((object) => [`services ${object.metadata?.name}`, { kind: ['Service', 'Services'], object }]));
}

function owned({ ownedResources }: World): Map<string, Known> {
  return new Map(
    ownedResources.map(({ kind, object }) => [
      `${kind} ${object.metadata?.name}`,
      { kind: kindNames(kind, object), object },
    ]),
  );
}

function references({ references: all }: World): Map<string, Known> {
  return new Map(
    all.map(({ resource, name, object }) => [`${resource} ${name}`, { kind: kindNames(resource, object), object }]),
  );
}

/** Cached objects lack their kind. */
function kindNames(resource: string, object: KubeObject | undefined): [string, string] {
  const [plural = resource] = resource.split('.', 1);
  if (object?.kind !== undefined) return [object.kind, `${object.kind}s`];
  return [plural.replace(/s$/, ''), plural];
}

function objectChanges(before: ReadonlyMap<string, Known>, now: ReadonlyMap<string, Known>): string[] {
  const found = new Map<string, string[]>();
  const note = (key: string, { kind }: Known, what: string) => {
    const at = [...kind, what].join('\n');
    found.set(at, [...(found.get(at) ?? []), key.slice(key.indexOf(' ') + 1)]);
  };
  for (const [key, known] of now) {
    const { object } = known;
    const earlier = before.get(key)?.object;
    if (object === undefined) {
      if (earlier !== undefined) note(key, known, 'disappeared');
    } else if (earlier === undefined || earlier.metadata?.uid !== object.metadata?.uid) note(key, known, 'appeared');
    else for (const what of changesWithin(earlier, object)) note(key, known, what);
  }
  for (const [key, known] of before) if (!now.has(key) && known.object !== undefined) note(key, known, 'disappeared');
  return [...found].map(([at, names]) => {
    const [one = '', several = '', what = ''] = at.split('\n');
    return `${namesOf(one, several, names)} ${what}`;
  });
}

function changesWithin(before: KubeObject, now: KubeObject): string[] {
  const { metadata: _was, ...earlier } = before;
  const { metadata: is, ...later } = now;
  const fields = Object.keys({ ...earlier, ...later }).flatMap((key) =>
    fieldChanges(key, Reflect.get(earlier, key), Reflect.get(later, key)),
  );
  const isGoing = is?.deletionTimestamp !== undefined && before.metadata?.deletionTimestamp === undefined;
  return [
    ...(fields.length === 0 ? [] : [`changed: ${fields.slice(0, 3).join('; ').replaceAll('\n', ' ')}`]),
    ...(isGoing ? ['began to terminate'] : []),
  ];
}

function kueueChanges({ queueing: before }: World, { queueing: now }: World): string[] {
  const fields = fieldChanges('queueing', before ?? {}, now ?? {});
  return fields.length === 0 ? [] : [`Kueue's objects changed: ${fields.slice(0, 2).join('; ')}`];
}

function nodeChanges({ lostNodes: before }: World, { lostNodes: now }: World): string[] {
  const [was, is] = [new Set(before?.keys()), new Set(now?.keys())];
  const lost = [...is].filter((name) => !was.has(name));
  const back = [...was].filter((name) => !is.has(name));
  return [
    ...(lost.length === 0 ? [] : [`${namesOf('node', 'nodes', lost)} became not ready`]),
    ...(back.length === 0 ? [] : [`${namesOf('node', 'nodes', back)} became ready, or lost the last pod of the job`]),
  ];
}

function refusals(before: World, now: World): string[] {
  const known = new Set(before.writeFailures.map(({ verb, kind, message }) => `${verb} ${kind} ${message}`));
  const refused = now.writeFailures
    .filter(({ verb, kind, message }) => !known.has(`${verb} ${kind} ${message}`))
    .map(({ verb, kind, message }) => `the API server refused to ${verb.toLowerCase()} a ${kind}: ${message}`);
  const isOver = before.writeFailures.length > 0 && now.writeFailures.length === 0;
  const { invalidObject } = now;
  const isInvalid = invalidObject !== undefined && invalidObject.message !== before.invalidObject?.message;
  return [
    ...refused,
    ...(isOver ? ['refused writes succeeded, or are tried again'] : []),
    ...(isInvalid ? [`the API server refused an object as invalid: ${invalidObject.message}`] : []),
  ];
}

function conflicts(before: World, now: World): string[] {
  const all = (world: World) => [...world.conflictingPods, ...world.conflictingServices];
  const known = new Set(all(before).map(([name]) => name));
  return all(now).flatMap(([name, message]) => (known.has(name) ? [] : [`a name is in use: ${message}`]));
}

function answers(before: World, now: World): string[] {
  return [...now.probeResults].flatMap(([name, { answer, problem }]) => {
    const earlier = before.probeResults.get(name);
    if (problem !== undefined) return problem === earlier?.problem ? [] : [`the query ${name} failed: ${problem}`];
    const fields = fieldChanges('answer', earlier?.answer, answer);
    return fields.length === 0 ? [] : [`the query ${name} got another answer: ${fields[0]}`];
  });
}

/** Why a run was planned although nothing had changed. */
export function reasonWithoutChange(before: RunRecord, now: RunRecord): string {
  const passedMs = now.world.nowMs - before.world.nowMs;
  const { lookAgainMs } = before.plan;
  if (lookAgainMs !== undefined && passedMs >= lookAgainMs * 0.95) {
    return `${duration(passedMs)} passed, as planned in the run before`;
  }
  return 'no recorded change: a write of the run before was repeated, or a field changed that planning does not read';
}
