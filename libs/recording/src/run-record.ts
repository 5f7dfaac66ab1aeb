/**
 * A reconcile run as a line of JSON, with everything that planning depends on, so that another version can plan it
 * again. Kinds of objects, which have functions, are recorded by resource, gang schedulers by name, and the adapter by
 * its resource and settings (`FrameworkAdapter.madeWith`).
 */
import type { KubeObject, Resource } from '@muster/job-api';
import {
  type FrameworkAdapter,
  type GangScheduler,
  gangSchedulerNamed,
  newWorld,
  type OwnedKind,
  ownedKinds,
  type PlannedRun,
  type PlanSettings,
  WORKLOAD_KIND,
  type World,
} from '@muster/common-job-controller';
import { recordedPlan, type RecordedPlan } from './recorded-plan.ts';
import { fromTaggedJson, taggedJson, withoutSecretData } from './tagged-json.ts';

/** Incremented when older records can no longer be read. */
const VERSION = 2;

export interface RecordedKind {
  readonly resource: string;
  readonly framework: string;
  readonly madeWith?: Readonly<Record<string, unknown>> | undefined;
}

interface RecordedSettings extends Omit<PlanSettings, 'gang' | 'gangs'> {
  readonly gang?: string | undefined;
  readonly gangs?: readonly string[] | undefined;
}

interface RecordedOwned {
  readonly kind: string;
  readonly object: KubeObject;
}

type RecordedReference = Omit<World['references'][number], 'resource'> & { readonly resource: string };

interface RecordedWorld extends Omit<World, 'ownedResources' | 'references' | 'absentKinds'> {
  /** Name of `invalidObject` in older records. */
  readonly refusal?: World['invalidObject'];
  readonly ownedResources: readonly RecordedOwned[];
  readonly references: readonly RecordedReference[];
  readonly absentKinds?: readonly string[] | undefined;
}

export interface RunRecord {
  readonly version: number;
  readonly kind: RecordedKind;
  readonly settings: RecordedSettings;
  readonly world: RecordedWorld;
  readonly plan: RecordedPlan;
  /** How many earlier runs of the operator were not recorded since the last recorded one. Default: none. */
  readonly leftOut?: number;
}

/** A line about a job that is gone from the API server. */
export interface DeletionRecord {
  readonly version: number;
  readonly deleted: {
    readonly resource: string;
    readonly namespace: string;
    readonly name: string;
    readonly uid: string;
    readonly atMs: number;
  };
}

/** `plural.group`, or `plural` in the core group. */
export function resourceKey({ group, plural }: Pick<Resource, 'group' | 'plural'>): string {
  return group === '' ? plural : `${plural}.${group}`;
}

export function lineOf(run: PlannedRun, leftOut = 0): string {
  return taggedJson({ ...recordOf(run), ...(leftOut > 0 && { leftOut }) });
}

export function deletionLine(resource: Resource, { metadata }: KubeObject, atMs: number): string {
  const { namespace = '', name = '', uid = '' } = metadata ?? {};
  const record: DeletionRecord = {
    version: VERSION,
    deleted: { resource: resourceKey(resource), namespace, name, uid, atMs },
  };
  return taggedJson(record);
}

/** Undefined for the line of a reconcile run. */
export function deletionIn(line: string): DeletionRecord['deleted'] | undefined {
  if (!line.startsWith('{"version":') || !/^.{0,20}"deleted":/.test(line)) return undefined;
  return (JSON.parse(line) as DeletionRecord).deleted;
}

export function recordOf({ adapter, settings, world, plan }: PlannedRun): RunRecord {
  const { resource, framework, madeWith } = adapter;
  return {
    version: VERSION,
    kind: { resource: resourceKey(resource), framework, madeWith },
    settings: { ...settings, gang: settings.gang && nameOf(settings.gang), gangs: settings.gangs?.map(nameOf) },
    world: {
      ...world,
      ownedResources: world.ownedResources.map(({ kind, object }) => ({
        kind: resourceKey(kind.resource),
        object: recordedObject(kind.resource, object),
      })),
      references: world.references.map((reference) => ({
        ...reference,
        resource: resourceKey(reference.resource),
        object: reference.object && recordedObject(reference.resource, reference.object),
      })),
      absentKinds: world.absentKinds?.map(resourceKey),
    },
    plan: recordedPlan(plan),
  };
}

/** Cached objects may lack their kind. */
function recordedObject(resource: Resource, object: KubeObject): KubeObject {
  return resource.kind === 'Secret' ? withoutSecretData(object) : object;
}

export function recordIn(line: string): RunRecord {
  const record = fromTaggedJson(line) as RunRecord;
  const { version } = Object(record) as Partial<RunRecord>;
  if (version !== VERSION) throw new Error(`unsupported version ${version} of a record: expected ${VERSION}`);
  if (deletionIn(line) !== undefined) throw new Error('the line is not about a reconcile run, but about a deletion');
  return record;
}

/** Throws if the record has a kind of objects that the adapter does not know. */
export function plannedRunOf(adapter: FrameworkAdapter, { settings, world }: RunRecord): Omit<PlannedRun, 'plan'> {
  const { gang: name, gangs: names, ...others } = settings;
  const gang = name === undefined ? undefined : gangSchedulerNamed(name);
  const gangs = names?.flatMap((each) => gangSchedulerNamed(each) ?? []);
  const owned = [...ownedKinds(adapter, gang, gangs), WORKLOAD_KIND as OwnedKind];
  const referred = (adapter.references?.kinds ?? []).map(({ resource }) => resource);
  const { ownedResources, references, absentKinds, refusal, ...rest } = world;
  return {
    adapter,
    settings: { ...others, ...(gang && { gang }), ...(gangs && { gangs }) },
    world: {
      ...newWorld(world.manifest, world.nowMs),
      ...(refusal && { invalidObject: refusal }),
      ...rest,
      ownedResources: ownedResources.map(({ kind, object }) => ({ kind: kindNamed(owned, kind), object })),
      references: references.map(({ resource, object, ...reference }) => ({
        ...reference,
        object,
        resource: resourceNamed(referred, resource),
      })),
      ...(absentKinds && { absentKinds: absentKinds.map((each) => kindNamed(owned, each).resource) }),
    },
  };
}

function nameOf({ name, schedulerName }: GangScheduler): string {
  return name === 'scheduler-plugins' ? (schedulerName ?? name) : name;
}

function kindNamed(kinds: readonly OwnedKind[], key: string): OwnedKind {
  const found = kinds.find(({ resource }) => resourceKey(resource) === key);
  if (found === undefined) throw new Error(`a job of this kind owns no ${key}`);
  return found;
}

function resourceNamed(resources: readonly Resource[], key: string): Resource {
  const found = resources.find((resource) => resourceKey(resource) === key);
  if (found === undefined) throw new Error(`a job of this kind refers to no ${key}`);
  return found;
}
