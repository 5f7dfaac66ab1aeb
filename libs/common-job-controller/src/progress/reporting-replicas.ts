/** Replicas progress together, so a few are polled. After half a deadline without progress all are, to find the one that is behind. */
import { PROGRESS_PORT } from '@muster/job-api';
import type { Probe } from '@muster/probes';
import type { ReplicaRole, TrainingJob } from '../model/training-job.ts';
import type { ReplicaPod } from '../model/replica-pod.ts';
import { markOf } from '../model/restart-records.ts';
import { containerRestarts } from '../pods/replica-pods.ts';

const ALWAYS_POLLED = 32;
const LARGEST_ANSWER = 16 * 1024;
const LONGEST_INTERVAL_MS = 30_000;
const LONGEST_ANSWER_MS = 5000;

export function progressPort({ template }: Pick<ReplicaRole, 'template'>): number | undefined {
  const ports = template.spec?.containers?.flatMap((container) => container.ports ?? []) ?? [];
  return ports.find(({ name }) => name === PROGRESS_PORT)?.containerPort;
}

export function reportingReplicas(replicas: readonly ReplicaPod[]): ReplicaPod[] {
  return replicas.filter(
    ({ role, state, pod }) =>
      state === 'running' && pod?.status?.podIP !== undefined && progressPort(role) !== undefined,
  );
}

/** @param reporting of {@link reportingReplicas}, in that order */
export function alwaysPolled<T>(reporting: readonly T[]): readonly T[] {
  return reporting.slice(0, ALWAYS_POLLED);
}

/** A mark of the pods and container runs that report. A record with another mark is outdated. */
export function runsOf(reporting: readonly ReplicaPod[]): string {
  const runs = reporting.map(({ pod, role }) =>
    pod === undefined ? '' : `${pod.metadata?.uid}/${containerRestarts(pod, role.containerName)}`,
  );
  return markOf(runs.join());
}

export function hangingReplica({ status }: TrainingJob, replicas: readonly ReplicaPod[]): ReplicaPod | undefined {
  const { message, behind, pods } = status.progress ?? {};
  if (message === undefined) return undefined;
  const reporting = reportingReplicas(replicas);
  if (runsOf(reporting) !== pods) return undefined;
  return reporting.find(({ role, index }) => role.name === behind?.role && index === behind.index) ?? reporting[0];
}

/** The name of the answer's fact. A recreated pod has none yet. */
export function probeName({ pod }: ReplicaPod): string {
  return `progress of ${pod?.metadata?.uid}`;
}

export function progressProbe(replica: ReplicaPod, deadlineMs: number): Probe {
  const { namespace = '', name: pod = '' } = replica.pod?.metadata ?? {};
  const everyMs = Math.min(LONGEST_INTERVAL_MS, Math.floor(deadlineMs / 10));
  return {
    name: probeName(replica),
    url: {
      ...{ namespace, pod, path: '/progress' },
      address: replica.pod?.status?.podIP ?? '',
      port: progressPort(replica.role) ?? 0,
    },
    timeoutMs: Math.min(LONGEST_ANSWER_MS, everyMs),
    everyMs,
    largestBody: LARGEST_ANSWER,
  };
}
