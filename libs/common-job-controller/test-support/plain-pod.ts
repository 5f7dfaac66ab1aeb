/** Pods of a {@link plainAdapter} job as an API server would show them, said in few words. */
import { ANNOTATIONS, LABELS, replicaName, type ContainerStatus, type Pod } from '@muster/job-api';
import { RESTARTER } from '../src/pods/in-place.ts';
import { PLAIN_JOBS } from './plain-adapter.ts';

export const JOB = { name: 'job', namespace: 'team', uid: '11111111-2222-3333-4444-555555555555' } as const;

/** The moment at which plain Worlds are looked at. */
export const NOW = Date.UTC(2030, 0, 1, 12);

/** The timestamp of so many seconds after (or, below zero, before) {@link NOW}. */
export function at(seconds: number): string {
  return new Date(NOW + seconds * 1000).toISOString().replace(/\.\d+Z$/, 'Z');
}

export interface PlainPod {
  readonly role?: string;
  readonly index?: number;
  readonly phase?: 'Pending' | 'Running' | 'Succeeded' | 'Failed';
  /** The exit code of the framework's container; it runs, or nobody saw its end, when there is none. */
  readonly exit?: number;
  /** The exit code of the container beside it. */
  readonly sidecarExit?: number;
  /** When the framework's container was last started, and when it ended, in seconds from {@link NOW}. */
  readonly started?: number;
  readonly ended?: number;
  /** How often the kubelet has restarted the framework's container, the init container and the sidecars. */
  readonly restarts?: number;
  /** The exit code of the framework's container before the kubelet last started it again. */
  readonly exitBefore?: number;
  /** How often in a row its replica had failed when it was made. */
  readonly failures?: number;
  /** The attempt that it carries. */
  readonly attempt?: number;
  /** Whether it has a restarter, and what is written on it for that. */
  readonly restarter?: string | true;
  /** Whether its kubelet knows the rule RestartAllContainers. Default: it does, of a pod with a restarter. */
  readonly restartable?: boolean;
  readonly initRestarts?: number;
  readonly sidecarRestarts?: number;
  /** When its deletion was asked for, in seconds from {@link NOW}, and the time of grace that it got. */
  readonly deleted?: number;
  readonly grace?: number;
  /** Whether its kubelet knows of the deletion: says so by the generation that its status is of. */
  readonly knowsDeletion?: boolean;
  /** When its kubelet accepted it, by the clock of the node, in seconds from {@link NOW}. */
  readonly accepted?: number;
  /** When it was made, in seconds from {@link NOW}. */
  readonly created?: number;
  readonly uid?: string;
  readonly name?: string;
  /** The name of the job in its labels. */
  readonly job?: string;
  /** Whose it is: the job's, nobody's, or that of the job with another UID or name. */
  readonly owner?: 'nobody' | { readonly uid: string; readonly name?: string; readonly kind?: string };
  /** The reason that stands in its status. */
  readonly reason?: string;
  readonly disrupted?: boolean;
  /** Why the cluster ended it, if not by preemption. */
  readonly disruption?: string;
  /** The last words of the framework's container. */
  readonly words?: string;
  /** Why the framework's container was ended. */
  readonly containerReason?: string;
  /** The reason for which its framework's container waits; `words` is the kubelet's message. */
  readonly waits?: string;
  /** Why the scheduler finds no node for it. */
  readonly unplaced?: string;
  readonly ready?: boolean;
  readonly address?: string;
  /** The node that it is on. */
  readonly node?: string;
  /** What the kubelet does with its containers. */
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
