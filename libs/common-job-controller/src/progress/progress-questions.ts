/**
 * Who is asked how far it is, and how often. Replicas that train together come further together, so a few of them tell that a job
 * goes on, whatever its size. Only when none of these has come further for half of the deadline are all asked: then it matters who is
 * behind.
 */
import { PROGRESS_PORT } from '@muster/job-api';
import type { Question } from '../model/fact.ts';
import type { ReplicaRole } from '../model/training-job.ts';
import type { ReplicaPod } from '../model/replica-pod.ts';

/** How many are asked as long as the job comes further. */
const ASKED_ALWAYS = 32;
/** A page of text: no program has more to tell. */
const LARGEST_ANSWER = 16 * 1024;
const LONGEST_INTERVAL_MS = 30_000;
const LONGEST_ANSWER_MS = 5000;

export function progressPort({ template }: Pick<ReplicaRole, 'template'>): number | undefined {
  const ports = template.spec?.containers?.flatMap((container) => container.ports ?? []) ?? [];
  return ports.find(({ name }) => name === PROGRESS_PORT)?.containerPort;
}

/** Those of `replicas` that can be asked. */
export function tellingReplicas(replicas: readonly ReplicaPod[]): ReplicaPod[] {
  return replicas.filter(
    ({ role, state, pod }) =>
      state === 'running' && pod?.status?.podIP !== undefined && progressPort(role) !== undefined,
  );
}

/** @param telling as {@link tellingReplicas} has them */
export function askedReplicas(telling: readonly ReplicaPod[], areAllAsked: boolean): readonly ReplicaPod[] {
  return areAllAsked ? telling : telling.slice(0, ASKED_ALWAYS);
}

/** Under which the answer is found among the facts: another pod of the replica has said nothing yet. */
export function questionName({ pod }: ReplicaPod): string {
  return `progress of ${pod?.metadata?.uid}`;
}

export function progressQuestion(replica: ReplicaPod, deadlineMs: number): Question {
  const { namespace = '', name: pod = '' } = replica.pod?.metadata ?? {};
  const everyMs = Math.min(LONGEST_INTERVAL_MS, Math.floor(deadlineMs / 10));
  return {
    name: questionName(replica),
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
