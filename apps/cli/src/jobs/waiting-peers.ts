/**
 * Replicas of a job of fixed size that keep running after another one was restarted. Connected ranks fail when they lose a peer, so
 * these had not connected, or did not detect the loss: they may wait for the previous process. The same holds for frameworks whose
 * processes cannot rejoin. Pure.
 */
import type { Pod } from '@muster/job-api';
import { corrected } from './correction.ts';
import type { JobView, ReplicaView } from './job-view.ts';
import type { PodFinding } from './pod-findings.ts';

/** At most one finding; none for a job that reports progress or can change its size. */
export function waitingPeers({ kind, manifest, state, roles, replicas, deciding }: JobView): PodFinding[] {
  const { progress } = Object(manifest.status) as { progress?: { lastProgressTime?: string } };
  if (state !== 'Running' || progress?.lastProgressTime !== undefined) return [];
  const isFixed = kind.fixedSize?.(manifest) !== undefined;
  const rejoinOf = ({ role }: ReplicaView) => roles.find(({ name }) => name === role)?.cannotRejoin;
  const restarted = replicas.filter(
    (replica) =>
      (isFixed || rejoinOf(replica) !== undefined) && restartsOf(replica) > 0 && startOf(replica) !== undefined,
  );
  const [last] = restarted.toSorted((a, b) => (startOf(b) ?? '').localeCompare(startOf(a) ?? ''));
  if (last === undefined) return [];
  const peers = replicas.filter(
    (replica) => replica !== last && restartsOf(replica) === 0 && (startOf(replica) ?? '~') < (startOf(last) ?? ''),
  );
  if (peers.length === 0) return [];
  const cannotRejoin = rejoinOf(last);
  const times = restartsOf(last) === 1 ? 'once' : `${restartsOf(last)} times`;
  return [
    {
      title: `The other replicas may wait for ${last.name}, which has restarted ${times} since they started.`,
      details: cannotRejoin === undefined ? [] : [cannotRejoin],
      advice: [
        ...corrected(
          { kind, manifest, state },
          cannotRejoin === undefined
            ? 'Set RestartJob in spec.runPolicy.failurePolicy to restart all replicas together (docs/users/recovery.md)'
            : `Make the program resume from checkpoints: ${last.name} cannot rejoin`,
        ),
        `logs --replica ${deciding ?? peers[0]?.name}`,
      ],
    },
  ];
}

function restartsOf({ pod, container }: ReplicaView): number {
  return statusOf(pod, container)?.restartCount ?? 0;
}

/** Undefined if the container does not run. */
function startOf({ pod, container }: ReplicaView): string | undefined {
  return statusOf(pod, container)?.state?.running?.startedAt;
}

function statusOf({ status }: Pod, container: string) {
  return status?.containerStatuses?.find(({ name }) => name === container);
}
