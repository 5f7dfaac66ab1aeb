/** A short notation for MPIJobs and their plans. */
import {
  type JobContext,
  ENDPOINT_SLICE_KIND,
  gangSchedulerNamed,
  newWorld,
  ownerReference,
  planJob,
  type OwnedResource,
  type ReplicaPod,
  type TrainingJob,
  type World,
} from '@muster/common-job-controller';
import { planned, type Planned } from '@muster/common-job-controller/testing';
import {
  admitted,
  MPI_JOBS,
  mpiJobDefinition,
  type EndpointSlice,
  type JobStatus,
  type KubeObject,
  type MPIGeneration,
  type MPIJob,
  type Pod,
  type PodTemplateSpec,
  type Resource,
} from '@muster/job-api';
import { mpiAdapter } from '../src/mpi-adapter.ts';
import type { MPIOptions, MPISettings } from '../src/generations/mpi-options.ts';

const NOW = Date.UTC(2030, 0, 1, 12);

/**
 * A letter per pod, by index: `P` pending, `R` running and not ready, `Y` running and ready, `S` succeeded, `F` failed
 * with exit code 1, `E` evicted, `D` drained and being deleted, `d` drained after it has succeeded, `-` no pod. For the
 * launcher of a Job, `S` and `F` set the Job's status as well; `s` and `f` set that of the pod only, whose end the Job
 * has not observed yet. The workload of a role exists if the role is named, also without letters.
 */
export interface Phases {
  readonly launcher?: string;
  readonly worker?: string;
}

export type Spec = Partial<MPIJob['spec']>;

export interface MPIWorld {
  readonly generation: MPIGeneration;
  /** Default: 2. */
  readonly workers?: number;
  readonly spec?: Spec;
  readonly annotations?: Record<string, string>;
  readonly status?: JobStatus;
  /** Default: a new job. */
  readonly phases?: Phases;
  /** The launcher's Job, in addition to the letters. */
  readonly launcherJob?: { readonly spec?: object; readonly status?: object };
  /** Workers whose addresses are in the EndpointSlice, by number; pods have addresses then. Default: none. */
  readonly ledTo?: readonly number[];
  /** All workers have the address of one node (`hostNetwork`). */
  readonly shareAddress?: boolean;
  /** As in the operator's flag. Its group exists and is admitted if the job has any object. */
  readonly gang?: string;
  readonly settings?: Partial<MPISettings>;
  readonly as?: (object: KubeObject) => KubeObject;
  readonly besides?: Partial<World<MPIJob>>;
}

const JOB = { name: 'pi', namespace: 'team', uid: '11111111-2222-3333-4444-555555555555' } as const;

export function templateOf(limits: Record<string, string> = {}, extra: Partial<PodTemplateSpec> = {}): PodTemplateSpec {
  const containers = [{ name: 'mpi', image: 'registry.example/pi:1', resources: { limits } }];
  return { ...extra, spec: { containers, ...extra.spec } };
}

export const WAITS: Spec = { launcherCreationPolicy: 'WaitForWorkersReady' };

export const NO_WORKERS: Spec = { mpiReplicaSpecs: { Launcher: { template: templateOf() } } };

/** The job `pi` as stored. A launcher of v1alpha1 computes. */
function mpiJob({ generation, workers = 2, spec, annotations, status }: MPIWorld): MPIJob {
  const template = templateOf();
  const own =
    generation === 'v1alpha1'
      ? { template, ...(spec?.gpus === undefined && { replicas: workers + 1 }) }
      : { mpiReplicaSpecs: { Launcher: { template }, Worker: { replicas: workers, template } } };
  const stored = admitted(mpiJobDefinition, {
    apiVersion: `kubeflow.org/${generation}`,
    kind: 'MPIJob',
    metadata: { name: JOB.name },
    spec: { ...own, ...spec },
  });
  const metadata = { ...JOB, generation: 1, resourceVersion: '1', ...(annotations && { annotations }) };
  return { ...stored, metadata, ...(status && { status }) };
}

const SETTINGS = { serviceMode: 'PerJob', clusterDomain: 'cluster.local' } as const;

export function planOf(world: MPIWorld): Planned {
  const gang = gangSchedulerNamed(world.gang ?? '');
  return planned(planJob(mpiAdapter(world.settings), worldOf(world), { ...SETTINGS, gang }));
}

export function worldOf(world: MPIWorld): World<MPIJob> {
  const job = mpiJob(world);
  const none = { ...newWorld(job, NOW), ...world.besides };
  if (world.phases === undefined) return none;
  const whole = everythingOf(world);
  const made = whole.ownedResources.create.filter(({ object: { kind } }) => isThere(kind, world.phases));
  const ownedResources = made.map(({ resource, object }) => ownedResource(resource, living(object, world)));
  return {
    ...none,
    ownedResources: [...ownedResources, ...slicesOf(world)],
    pods: podsOf(whole, ownedResources, world),
  };
}

function slicesOf({ ledTo, shareAddress }: MPIWorld): OwnedResource[] {
  if (ledTo === undefined) return [];
  const endpoints = ledTo.map((index) => ({
    addresses: [addressOf(shareAddress ? 0 : index)],
    hostname: `pi-worker-${index}`,
  }));
  const slice: EndpointSlice = {
    kind: 'EndpointSlice',
    metadata: {
      name: 'pi-0',
      namespace: JOB.namespace,
      ownerReferences: [ownerReference({ resource: MPI_JOBS, metadata: JOB })],
    },
    addressType: 'IPv4',
    endpoints,
  };
  return [{ kind: ENDPOINT_SLICE_KIND, object: slice }];
}

function addressOf(worker: number): string {
  return `10.0.0.${worker + 1}`;
}

function everythingOf(world: MPIWorld): Planned {
  const { status: _status, ...fresh } = world;
  const job = mpiJob({ ...fresh, spec: { ...world.spec, runPolicy: { ...world.spec?.runPolicy, suspend: false } } });
  const gang = gangSchedulerNamed(world.gang ?? '');
  const own = mpiAdapter(world.settings);
  const adapter = {
    ...own,
    scheduling: { ...own.scheduling, mayStart: () => true },
    // Some resources require the workers' pods.
    ...(own.ownedResources && {
      ownedResources: {
        ...own.ownedResources,
        desired: (training: TrainingJob<MPIOptions>, replicas: readonly ReplicaPod[], context: JobContext) =>
          own.ownedResources?.desired(
            training,
            replicas.map((replica) => ({ ...replica, pod: {} })),
            context,
          ) ?? [],
      },
    }),
  };
  const placed = planned(planJob(adapter, newWorld(job, NOW), { ...SETTINGS, gang }));
  const free = planned(planJob(adapter, newWorld(job, NOW), SETTINGS));
  const groups = placed.ownedResources.create.filter(({ object: { kind } }) => kind === 'PodGroup');
  return { ...free, ownedResources: { ...free.ownedResources, create: [...free.ownedResources.create, ...groups] } };
}

function isThere(kind: string | undefined, { launcher, worker }: Phases = {}): boolean {
  if (kind === 'Job') return launcher !== undefined;
  return kind !== 'StatefulSet' || worker !== undefined;
}

function ownedResource(resource: Resource, object: KubeObject): OwnedResource {
  const isReplaceable = ['Job', 'StatefulSet'].includes(resource.kind);
  return {
    kind: { resource, endsWithRun: resource.kind === 'PodGroup', isReplaceable, trim: (whole) => whole },
    object,
  };
}

function living(object: KubeObject, { phases, launcherJob, as = (same) => same }: MPIWorld): KubeObject {
  const { kind, metadata } = object;
  const whole = { ...object, metadata: { ...metadata, uid: `uid of ${kind}`, resourceVersion: '7' } };
  if (kind === 'PodGroup') return as({ ...whole, status: { phase: 'Inqueue' } } as KubeObject);
  if (kind !== 'Job') return as(whole);
  const { spec } = object as { spec?: object };
  const status = { ...JOB_ENDS[phases?.launcher ?? ''], ...launcherJob?.status };
  return as({ ...whole, spec: { ...spec, ...launcherJob?.spec }, status } as KubeObject);
}

const JOB_ENDS: Readonly<Record<string, object>> = {
  S: { succeeded: 1, conditions: [{ type: 'Complete', status: 'True', reason: 'CompletionsReached' }] },
  F: {
    failed: 1,
    conditions: [
      {
        type: 'Failed',
        status: 'True',
        reason: 'BackoffLimitExceeded',
        message: 'Job has reached the specified backoff limit',
      },
    ],
  },
};

export interface Workload extends KubeObject {
  readonly spec?: { readonly suspend?: boolean; readonly replicas?: number; readonly template?: PodTemplateSpec };
}

function podsOf(
  { create }: Planned,
  ownedResources: readonly OwnedResource[],
  { phases = {}, ledTo, shareAddress }: MPIWorld,
): Pod[] {
  const own = create.pods.map((pod) => ({
    ...pod,
    metadata: { ...pod.metadata, uid: `uid of ${pod.metadata?.name}` },
  }));
  const made = ownedResources.flatMap(({ object }) => podsMadeBy(object, phases));
  const all = new Map([...own, ...made].map((pod) => [pod.metadata.name, pod]));
  const launcher = [...(phases.launcher ?? '')].map((letter) => ['pi-launcher', letter] as const);
  const workers = [...(phases.worker ?? '')].map((letter, index) => [`pi-worker-${index}`, letter] as const);
  return [...launcher, ...workers].flatMap(([name, letter]) => {
    const pod = all.get(name) ?? all.get(`${name}-abcde`);
    const status = STATUSES[letter];
    if (status === undefined) return [];
    if (pod === undefined) throw new Error(`a job of this shape has no pod ${name}`);
    const worker = /-worker-(\d+)$/.exec(name)?.[1];
    const podIP = worker === undefined ? '10.0.1.1' : addressOf(shareAddress ? 0 : Number(worker));
    const metadata = { ...pod.metadata, ...(letter === 'D' && { deletionTimestamp: new Date(NOW).toISOString() }) };
    return [{ ...pod, metadata, status: { ...status, ...(ledTo && { podIP }) } }];
  });
}

/** The pods of a Job or StatefulSet; a Job's have a random suffix. */
function podsMadeBy({ kind, metadata, spec }: Workload, { worker = '' }: Phases) {
  const { name = '', uid = '' } = metadata ?? {};
  const ends = kind === 'Job' ? ['abcde'] : kind === 'StatefulSet' ? [...worker].map((_letter, index) => index) : [];
  return ends.map((end) => ({
    metadata: {
      ...spec?.template?.metadata,
      name: `${name}-${end}`,
      namespace: JOB.namespace,
      uid: `uid of ${name}-${end}`,
      ownerReferences: [{ apiVersion: 'v1', kind: kind ?? '', name, uid, controller: true }],
    },
    spec: spec?.template?.spec ?? { containers: [] },
  }));
}

const STATUSES: Readonly<Record<string, NonNullable<Pod['status']>>> = {
  P: { phase: 'Pending' },
  R: { phase: 'Running', conditions: [{ type: 'Ready', status: 'False' }] },
  Y: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
  S: endedWith(0),
  s: endedWith(0),
  F: endedWith(1),
  f: endedWith(1),
  D: {
    phase: 'Running',
    conditions: [{ type: 'DisruptionTarget', status: 'True', reason: 'EvictionByEvictionAPI' }],
  },
  d: {
    ...endedWith(0),
    conditions: [{ type: 'DisruptionTarget', status: 'True', reason: 'EvictionByEvictionAPI' }],
  },
  E: { phase: 'Failed', reason: 'Evicted', message: 'The node was low on resource: memory.' },
};

function endedWith(exitCode: number): NonNullable<Pod['status']> {
  const state = { terminated: { exitCode, reason: exitCode === 0 ? 'Completed' : 'Error' } };
  const main = { name: 'mpi', image: '', imageID: '', ready: false, restartCount: 0, state };
  return { phase: exitCode === 0 ? 'Succeeded' : 'Failed', containerStatuses: [main] };
}

interface LastOutput {
  readonly create: string[];
  readonly change: string[];
  readonly remove: string[];
}

const namedAs = ({ kind, metadata }: KubeObject) => `${kind} ${metadata?.name}`;

/** Created, changed and deleted objects, by kind and name. */
export function summaryOf({ create, remove, ownedResources, ensure }: Planned): LastOutput {
  const pod = ({ metadata }: Pod) => `Pod ${metadata?.name}`;
  return {
    create: [...[...ensure, ...ownedResources.create].map(({ object }) => namedAs(object)), ...create.pods.map(pod)],
    change: ownedResources.change.map(({ object }) => namedAs(object)),
    remove: [...ownedResources.remove.map(({ object }) => namedAs(object)), ...remove.pods.map(pod)],
  };
}

export function isLauncher(object: string): boolean {
  return /^(Pod|Job) pi-launcher$/.test(object);
}

export function patchOf({ ownedResources }: Planned, kind: string): object | undefined {
  const [change, another] = ownedResources.change.filter(({ resource }) => resource.kind === kind);
  if (another !== undefined) throw new Error(`two objects of kind ${kind} are changed`);
  return change && { patch: change.patch, ...(change.subresource && { subresource: change.subresource }) };
}

/** The object of this kind when all workers exist. */
export function finallyOf<T extends KubeObject>(world: MPIWorld, kind: string): T | undefined {
  return madeOf<T>(everythingOf(world), kind);
}

export function madeOf<T extends KubeObject>({ ownedResources }: Planned, kind: string): T | undefined {
  return ownedResources.create.find(({ resource }) => resource.kind === kind)?.object as T | undefined;
}

export function conditionOf({ status }: Planned, type: string) {
  return status?.conditions?.find((condition) => condition.type === type);
}
