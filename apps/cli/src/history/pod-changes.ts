/** What happened to the pods of a job between two recorded reconcile runs, in sentences. */
import { startProblemOf } from '@muster/common-job-controller';
import type { ContainerStatus, Pod } from '@muster/job-api';
import { badEndOf, messageOf } from '../jobs/pod-end.ts';
import { namesOf } from './names.ts';

/** The verbs are in the past tense, so that a sentence holds for one pod and for several. */
export function podChanges(before: readonly Pod[], now: readonly Pod[]): string[] {
  const earlier = byUid(before);
  const later = byUid(now);
  const found = new Map<string, string[]>();
  const note = (pod: Pod, what: string) => found.set(what, [...(found.get(what) ?? []), pod.metadata?.name ?? '']);
  for (const [uid, pod] of later) for (const what of changesOf(earlier.get(uid), pod)) note(pod, what);
  for (const [uid, pod] of earlier) if (!later.has(uid)) note(pod, 'disappeared');
  return [...found].map(([what, names]) => `${namesOf('pod', 'pods', names)} ${what}`);
}

function byUid(pods: readonly Pod[]): Map<string, Pod> {
  return new Map(pods.map((pod) => [pod.metadata?.uid ?? pod.metadata?.name ?? '', pod]));
}

function changesOf(before: Pod | undefined, now: Pod): string[] {
  return [
    ...(before === undefined && phaseOf(now) === 'Pending' ? ['appeared'] : []),
    ...phaseChange(before, now),
    ...(isReady(now) && !isReady(before) ? ['became ready'] : []),
    ...(isReady(before) && !isReady(now) && phaseOf(now) === 'Running' ? ['became not ready'] : []),
    ...containerRestarts(before, now),
    ...startProblem(before, now),
    ...disruption(before, now),
    ...(now.metadata?.deletionTimestamp !== undefined && before?.metadata?.deletionTimestamp === undefined
      ? ['began to terminate']
      : []),
  ];
}

function phaseOf(pod: Pod | undefined): string {
  return pod?.status?.phase ?? 'Pending';
}

function phaseChange(before: Pod | undefined, now: Pod): string[] {
  const phase = phaseOf(now);
  if (phase === phaseOf(before)) return [];
  const node = now.spec?.nodeName;
  if (phase === 'Running') return [node === undefined ? 'started' : `started on node ${node}`];
  if (phase === 'Succeeded') return ['succeeded'];
  if (phase !== 'Failed') return [`changed to phase ${phase}`];
  const end = badEndOf(now);
  const container = end?.container === undefined ? '' : `container ${end.container}: `;
  return [`failed: ${end === undefined ? messageOf(now.status ?? {}) : `${container}${end.what}`}`];
}

function containerRestarts(before: Pod | undefined, now: Pod): string[] {
  return containersOf(now).flatMap(({ name, restartCount, lastState }) => {
    const count = containersOf(before).find((each) => each.name === name)?.restartCount ?? 0;
    if (before === undefined || restartCount <= count) return [];
    const ended = lastState?.terminated;
    const why = ended === undefined ? '' : ` after ${messageOf(ended)}`;
    return [`restarted its container ${name}${why} (${restartCount} ${restartCount === 1 ? 'restart' : 'restarts'})`];
  });
}

function containersOf(pod: Pod | undefined): readonly ContainerStatus[] {
  return [...(pod?.status?.initContainerStatuses ?? []), ...(pod?.status?.containerStatuses ?? [])];
}

function startProblem(before: Pod | undefined, now: Pod): string[] {
  if (phaseOf(now) !== 'Pending') return [];
  const problem = startProblemOf(now);
  if (problem === undefined) return [];
  const known = before && startProblemOf(before);
  if (known?.reason === problem.reason && known.message === problem.message) return [];
  return [`could not start: ${problem.reason}${problem.message === '' ? '' : `: ${problem.message}`}`];
}

function disruption(before: Pod | undefined, now: Pod): string[] {
  const of = (pod: Pod | undefined) =>
    pod?.status?.conditions?.find(({ type, status }) => type === 'DisruptionTarget' && status === 'True');
  const found = of(now);
  if (found === undefined || of(before) !== undefined) return [];
  return [`became the target of a disruption: ${found.reason ?? ''}${found.message ? `: ${found.message}` : ''}`];
}

function isReady(pod: Pod | undefined): boolean {
  return pod?.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') === true;
}
