/**
 * Warns if the kubelet has restarted a container of a fixed-size job while others keep running. Connected ranks fail when they lose a peer,
 * but ranks that were still connecting may wait for the old address until their start-up timeout (30 minutes for PyTorch's gloo). Most jobs
 * recover, so nothing is restarted.
 */
import { containerNamed, type EventReason, momentOf, type Pod } from '@muster/job-api';
import { ageOf, type StateAges } from '../model/state-ages.ts';
import { runOf } from '../pods/crash-loop.ts';
import type { ReplicaPod } from '../model/replica-pod.ts';
import type { Decision } from '../model/decision.ts';
import { earliest } from '../model/requeue.ts';
import { hasRestarter } from '../pods/in-place.ts';

const PEERS_FAIL_WITHIN_MS = 60_000;

export function waitingPeers(
  replicas: readonly ReplicaPod[],
  emitted: ReadonlySet<string>,
  stateAges: StateAges,
): Pick<Decision, 'events' | 'requeueAfterMs'> {
  const runs = replicas.flatMap((replica) => mainRun(replica) ?? []);
  const restarted = runs.flatMap((run) => {
    const dedupKey = `${REASON} ${run.pod.metadata?.uid}`;
    const isAlone = runs.some((peer) => peer.restarts === 0 && peer.startedMs < run.startedMs);
    const leftMs = PEERS_FAIL_WITHIN_MS - ageOf(stateAges, run.state);
    return run.restarts > 0 && isAlone && !emitted.has(dedupKey) ? [{ ...run, dedupKey, leftMs }] : [];
  });
  const [due, early] = [restarted.filter(({ leftMs }) => leftMs <= 0), restarted.filter(({ leftMs }) => leftMs > 0)];
  return {
    events: due.map(({ pod, container, advice, dedupKey }) => ({
      ...{ type: 'Warning', reason: REASON, action: 'Restart', dedupKey },
      note: `The kubelet restarted container ${container} of pod ${pod.metadata?.name} while other replicas kept running. ${advice}`,
    })),
    requeueAfterMs: earliest(...early.map(({ leftMs }) => leftMs)),
  };
}

const REASON = 'RestartedWithoutRejoining' satisfies EventReason;

interface Run {
  readonly pod: Pod;
  readonly container: string;
  readonly restarts: number;
  readonly startedMs: number;
  readonly state: string;
  readonly advice: string;
}

function mainRun({ pod, role, state }: ReplicaPod): Run | undefined {
  if (role.peersMayWait === undefined || pod === undefined || state !== 'running' || hasRestarter(pod))
    return undefined;
  const main = containerNamed(role.containerName, pod);
  const startedMs = momentOf(main?.state?.running?.startedAt);
  if (main === undefined || startedMs === undefined) return undefined;
  const { name: container, restartCount: restarts } = main;
  return { pod, container, restarts, startedMs, state: runOf(pod, main), advice: role.peersMayWait };
}
