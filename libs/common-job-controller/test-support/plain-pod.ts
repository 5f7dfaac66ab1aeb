/** Pods of a {@link plainAdapter} job, from a short description. */
import { ANNOTATIONS, LABELS, replicaName, type ContainerStatus, type Pod } from '@muster/job-api';
import { RESTARTER } from '../src/pods/in-place.ts';
import { PLAIN_JOBS } from './plain-adapter.ts';

export const JOB = { name: 'job', namespace: 'team', uid: '11111111-2222-3333-4444-555555555555' } as const;

export const NOW = Date.UTC(2030, 0, 1, 12);

/** A timestamp relative to {@link NOW}. */
export function at(seconds: number): string {
  return new Date(NOW + seconds * 1000).toISOString().replace(/\.\d+Z$/, 'Z');
}

export interface PlainPod {
  readonly role?: string;
  readonly index?: number;
  readonly phase?: 'Pending' | 'Running' | 'Succeeded' | 'Failed';
  /** Exit code of the main container. If undefined, it runs, or its end is unknown. */
  readonly exit?: number;
  readonly sidecarExit?: number;
  /** The main container's last start and end, in seconds from {@link NOW}. */
  readonly started?: number;
  readonly ended?: number;
  readonly restarts?: number;
  /** Exit code of the main container before its last restart. */
  readonly exitBefore?: number;
  /** When it ended then, in seconds from {@link NOW}. */
  readonly endedBefore?: number;
  /** Failures in a row before its creation. */
  readonly failures?: number;
  readonly attempt?: number;
  /** The restarter's annotation, or `true` for a restarter without one. */
  readonly restarter?: string | true;
  /** The kubelet supports RestartAllContainers. Default: true with a restarter. */
  readonly restartable?: boolean;
  readonly initRestarts?: number;
  readonly sidecarRestarts?: number;
  /** Deletion request, in seconds from {@link NOW}, and grace period. */
  readonly deleted?: number;
  readonly grace?: number;
  /** The kubelet has observed the deletion (`observedGeneration`). */
  readonly knowsDeletion?: boolean;
  /** `status.startTime`, by the node's clock, in seconds from {@link NOW}. */
  readonly accepted?: number;
  /** In seconds from {@link NOW}. */
  readonly created?: number;
  readonly uid?: string;
  readonly name?: string;
  readonly job?: string;
  /** Default: the job. */
  readonly owner?: 'none' | { readonly uid: string; readonly name?: string; readonly kind?: string };
  readonly reason?: string;
  readonly disrupted?: boolean;
  /** Default: preemption. */
  readonly disruption?: string;
  readonly message?: string;
  readonly containerReason?: string;
  /** The main container's waiting reason, with `message`. */
  readonly waits?: string;
  readonly unplaced?: string;
  readonly ready?: boolean;
  readonly address?: string;
  readonly node?: string;
  readonly restartPolicy?: 'Always' | 'OnFailure' | 'Never';
}

export function plainPod(pod: PlainPod = {}): Pod {
  const { role = 'worker', index = 0, phase = 'Running', created = -60, reason, disrupted = false } = pod;
  const { name = replicaName(JOB.name, role, index), job = JOB.name } = pod;
  const { uid = `uid-${name}`, restartPolicy = 'Never', ready = phase === 'Running' } = pod;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace: JOB.namespace,
      uid,
      creationTimestamp: at(created),
      labels: {
        [LABELS.operatorName]: 'plainjob-controller',
        [LABELS.jobName]: job,
        [LABELS.replicaType]: role,
        [LABELS.replicaIndex]: String(index),
        ...(pod.attempt !== undefined && { [LABELS.attempt]: String(pod.attempt) }),
      },
      ...((pod.failures !== undefined || typeof pod.restarter === 'string') && {
        annotations: {
          ...(pod.failures !== undefined && { [ANNOTATIONS.failures]: String(pod.failures) }),
          ...(typeof pod.restarter === 'string' && { [ANNOTATIONS.inPlace]: pod.restarter }),
        },
      }),
      ...ownerOf(pod),
      ...deletionOf(pod),
    },
    spec: {
      containers: pod.restarter === undefined ? [] : [{ name: RESTARTER }],
      ...(pod.node !== undefined && { nodeName: pod.node }),
      subdomain: JOB.name,
      restartPolicy,
      initContainers: [{ name: 'proxy', restartPolicy: 'Always' }],
    },
    status: {
      phase,
      ...(reason !== undefined && { reason }),
      ...(pod.knowsDeletion !== undefined && { observedGeneration: pod.knowsDeletion ? 2 : 1 }),
      ...(pod.address !== undefined && { podIP: pod.address }),
      ...(pod.accepted !== undefined && { startTime: at(pod.accepted) }),
      conditions: [
        { type: 'Ready', status: ready ? 'True' : 'False' },
        ...((pod.restartable ?? pod.restarter !== undefined)
          ? [{ type: 'AllContainersRestarting', status: 'False' }]
          : []),
        ...(disrupted
          ? [{ type: 'DisruptionTarget', status: 'True', reason: pod.disruption ?? 'PreemptionByScheduler' }]
          : []),
        ...(pod.unplaced === undefined
          ? []
          : [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: pod.unplaced }]),
      ],
      initContainerStatuses: [
        { ...containerStatus('prepare'), restartCount: pod.initRestarts ?? 0 },
        { ...containerStatus('proxy'), restartCount: pod.sidecarRestarts ?? 0 },
      ],
      containerStatuses: [
        {
          ...containerStatus('main'),
          restartCount: pod.restarts ?? 0,
          ...stateOf(pod),
          ...(pod.exitBefore !== undefined && {
            lastState: {
              terminated: {
                exitCode: pod.exitBefore,
                ...(pod.endedBefore !== undefined && { finishedAt: at(pod.endedBefore) }),
              },
            },
          }),
        },
        {
          ...containerStatus('logger'),
          restartCount: pod.sidecarRestarts ?? 0,
          ...(pod.sidecarExit !== undefined && stateOf({ exit: pod.sidecarExit })),
        },
        ...(pod.restarter === undefined
          ? []
          : [{ ...containerStatus(RESTARTER), state: phase === 'Running' ? { running: {} } : {} }]),
      ],
    },
  };
}

function containerStatus(name: string): ContainerStatus {
  return { name, image: '', imageID: '', ready: true, restartCount: 0 };
}

function stateOf({ exit, started, ended, message, containerReason, waits }: PlainPod): Pick<ContainerStatus, 'state'> {
  if (waits !== undefined) return { state: { waiting: { reason: waits, ...(message !== undefined && { message }) } } };
  const startedAt = started === undefined ? {} : { startedAt: at(started) };
  if (exit === undefined) return { state: started === undefined ? {} : { running: startedAt } };
  const output = {
    ...(containerReason !== undefined && { reason: containerReason }),
    ...(message !== undefined && { message }),
  };
  const finishedAt = ended === undefined ? {} : { finishedAt: at(ended) };
  return { state: { terminated: { exitCode: exit, ...output, ...startedAt, ...finishedAt } } };
}

function ownerOf({ owner = { uid: JOB.uid } }: PlainPod) {
  if (owner === 'none') return {};
  const { uid, name = JOB.name, kind = PLAIN_JOBS.kind } = owner;
  return { ownerReferences: [{ apiVersion: 'test.muster.dev/v1', kind, name, uid, controller: true }] };
}

function deletionOf({ deleted, grace = 30, knowsDeletion }: PlainPod) {
  if (deleted === undefined) return {};
  const generation = knowsDeletion === undefined ? {} : { generation: 2 };
  return { deletionTimestamp: at(deleted + grace), deletionGracePeriodSeconds: grace, ...generation };
}
