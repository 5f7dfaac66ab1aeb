/** Pods of a {@link plainAdapter} job in the API server's form, from a short description. */
import { ANNOTATIONS, LABELS, replicaName, type ContainerStatus, type Pod } from '@muster/job-api';
import { RESTARTER } from '../src/pods/in-place.ts';
import { PLAIN_JOBS } from './plain-adapter.ts';

export const JOB = { name: 'job', namespace: 'team', uid: '11111111-2222-3333-4444-555555555555' } as const;

/** The time of plain Worlds. */
export const NOW = Date.UTC(2030, 0, 1, 12);

/** The timestamp `seconds` after {@link NOW}, or before it if negative. */
export function at(seconds: number): string {
  return new Date(NOW + seconds * 1000).toISOString().replace(/\.\d+Z$/, 'Z');
}

export interface PlainPod {
  readonly role?: string;
  readonly index?: number;
  readonly phase?: 'Pending' | 'Running' | 'Succeeded' | 'Failed';
  /** The exit code of the framework's container. If undefined, it runs, or its end is unknown. */
  readonly exit?: number;
  /** The exit code of the sidecar. */
  readonly sidecarExit?: number;
  /** The last start and the end of the framework's container, in seconds from {@link NOW}. */
  readonly started?: number;
  readonly ended?: number;
  /** The kubelet's restarts of the framework's container. */
  readonly restarts?: number;
  /** The exit code of the framework's container before its last restart. */
  readonly exitBefore?: number;
  /** The failures in a row of its replica before it was created. */
  readonly failures?: number;
  /** The attempt in its label. */
  readonly attempt?: number;
  /** Whether it has a restarter, or the restarter's annotation. */
  readonly restarter?: string | true;
  /** Whether its kubelet supports RestartAllContainers. Default: true for a pod with a restarter. */
  readonly restartable?: boolean;
  readonly initRestarts?: number;
  readonly sidecarRestarts?: number;
  /** The time of its deletion request, in seconds from {@link NOW}, and its grace period. */
  readonly deleted?: number;
  readonly grace?: number;
  /** Whether its kubelet has observed the deletion (`observedGeneration`). */
  readonly knowsDeletion?: boolean;
  /** The time at which its kubelet accepted it, by the node's clock, in seconds from {@link NOW}. */
  readonly accepted?: number;
  /** Its creation, in seconds from {@link NOW}. */
  readonly created?: number;
  readonly uid?: string;
  readonly name?: string;
  /** The job's name in its labels. */
  readonly job?: string;
  /** Its owner: nobody, or a job with this UID and name. Default: the job. */
  readonly owner?: 'nobody' | { readonly uid: string; readonly name?: string; readonly kind?: string };
  /** The reason in its status. */
  readonly reason?: string;
  readonly disrupted?: boolean;
  /** The reason of the disruption. Default: preemption. */
  readonly disruption?: string;
  /** The termination message of the framework's container. */
  readonly words?: string;
  /** The termination reason of the framework's container. */
  readonly containerReason?: string;
  /** The waiting reason of the framework's container, with `words` as the kubelet's message. */
  readonly waits?: string;
  /** The scheduler's message if the pod is unschedulable. */
  readonly unplaced?: string;
  readonly ready?: boolean;
  readonly address?: string;
  /** The name of its node. */
  readonly node?: string;
  /** The pod's own restart policy, applied by the kubelet. */
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
          ...(pod.exitBefore !== undefined && { lastState: { terminated: { exitCode: pod.exitBefore } } }),
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

function stateOf({ exit, started, ended, words, containerReason, waits }: PlainPod): Pick<ContainerStatus, 'state'> {
  if (waits !== undefined)
    return { state: { waiting: { reason: waits, ...(words !== undefined && { message: words }) } } };
  const startedAt = started === undefined ? {} : { startedAt: at(started) };
  if (exit === undefined) return { state: started === undefined ? {} : { running: startedAt } };
  const said = {
    ...(containerReason !== undefined && { reason: containerReason }),
    ...(words !== undefined && { message: words }),
  };
  const finishedAt = ended === undefined ? {} : { finishedAt: at(ended) };
  return { state: { terminated: { exitCode: exit, ...said, ...startedAt, ...finishedAt } } };
}

function ownerOf({ owner = { uid: JOB.uid } }: PlainPod) {
  if (owner === 'nobody') return {};
  const { uid, name = JOB.name, kind = PLAIN_JOBS.kind } = owner;
  return { ownerReferences: [{ apiVersion: 'test.muster.dev/v1', kind, name, uid, controller: true }] };
}

function deletionOf({ deleted, grace = 30, knowsDeletion }: PlainPod) {
  if (deleted === undefined) return {};
  const generation = knowsDeletion === undefined ? {} : { generation: 2 };
  return { deletionTimestamp: at(deleted + grace), deletionGracePeriodSeconds: grace, ...generation };
}
