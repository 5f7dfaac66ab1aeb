import type { JobStatus, Pod, RunPolicy, Service } from '@muster/job-api';
import type { JobManifest, TrainingJob } from '../src/model/training-job.ts';
import { readJob } from '../src/contract/read-manifest.ts';
import { planJob } from '../src/reconcile/plan-job.ts';
import { planned, type Planned } from './planned.ts';
import { newWorld, type World } from '../src/world/world.ts';
import { plainAdapter, type PlainOptions } from './plain-adapter.ts';
import { at, JOB, NOW, plainPod, type PlainPod } from './plain-pod.ts';

/** Omitted fields have usual values. */
export interface PlainWorld extends PlainOptions {
  readonly status?: JobStatus;
  readonly runPolicy?: Partial<RunPolicy>;
  readonly annotations?: Record<string, string>;
  readonly generation?: number;
  readonly pods?: readonly PlainPod[];
  readonly deletedPods?: readonly PlainPod[];
  readonly services?: readonly Service[];
  readonly invalidObject?: World['invalidObject'];
  readonly emittedEvents?: readonly string[];
  readonly writeFailures?: World['writeFailures'];
  readonly conflictingPods?: World['conflictingPods'];
  readonly lostNodes?: World['lostNodes'];
  readonly stateAges?: World['stateAges'];
  readonly probeResults?: World['probeResults'];
  readonly hasWrittenStatus?: boolean;
  /** Seconds after {@link NOW}. */
  readonly now?: number;
}

export const SETTINGS = { serviceMode: 'PerJob', clusterDomain: 'cluster.local' } as const;

export function plainService(name: string = JOB.name): Service {
  const { metadata } = plainPod();
  const { ownerReferences = [] } = metadata ?? {};
  return { metadata: { name, namespace: JOB.namespace, uid: `uid-of-service-${name}`, labels: {}, ownerReferences } };
}

function manifestOf({ status, runPolicy, annotations, generation = 1 }: PlainWorld): JobManifest {
  return {
    apiVersion: 'test.muster.dev/v1',
    kind: 'PlainJob',
    metadata: {
      ...JOB,
      generation,
      resourceVersion: '1',
      creationTimestamp: at(0),
      ...(annotations && { annotations }),
    },
    spec: { runPolicy: { suspend: false, ...runPolicy } },
    ...(status && { status }),
  };
}

export function worldOf(plain: PlainWorld): World {
  return {
    ...newWorld(manifestOf(plain), NOW + (plain.now ?? 0) * 1000),
    pods: plain.pods?.map(plainPod) ?? [],
    ...(plain.deletedPods && { deletedPods: plain.deletedPods.map(plainPod) }),
    services: plain.services ?? [plainService()],
    invalidObject: plain.invalidObject,
    emittedEvents: new Set(plain.emittedEvents),
    ...(plain.writeFailures && { writeFailures: plain.writeFailures }),
    ...(plain.conflictingPods && { conflictingPods: plain.conflictingPods }),
    lostNodes: plain.lostNodes,
    ...(plain.stateAges && { stateAges: plain.stateAges }),
    ...(plain.probeResults && { probeResults: plain.probeResults }),
    hasWrittenStatus: plain.hasWrittenStatus === true,
  };
}

export function jobOf(plain: PlainWorld = {}): TrainingJob {
  const adapter = plainAdapter(plain);
  const manifest = manifestOf(plain);
  return readJob(adapter, manifest);
}

export function planOf(plain: PlainWorld): Planned {
  return planned(planJob(plainAdapter(plain), worldOf(plain), SETTINGS));
}

/** Each World gets the status written for the one before. */
export function statusAfter(...worlds: readonly PlainWorld[]): JobStatus {
  return worlds.reduce<JobStatus>((status, world) => {
    const before = { ...world, status: world.status ?? status };
    return planOf(before).status ?? before.status;
  }, {});
}

/** As `Type=Status`. */
export function conditionsOf({ conditions = [] }: JobStatus): string[] {
  return conditions.map(({ type, status }) => `${type}=${status}`);
}

export function namesOf(objects: readonly Pick<Pod, 'metadata'>[]): string[] {
  return objects.map(({ metadata }) => metadata?.name ?? '');
}
