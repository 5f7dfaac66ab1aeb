/**
 * Which replica of its group a worker is of, and which host of its replica: the numbers by which programs that run on several hosts,
 * or several slices, tell them apart, and by which admission webhooks of accelerators set their environment.
 */
import { replicaIndexOf, type Replica, type Position } from '@muster/common-job-controller';
import type { Pod } from '@muster/job-api';
import { replicaName } from '../model/names.ts';
import { RAY_LABELS } from '../model/ray-labels.ts';

export function positionOf({ metadata }: Pod): Position | undefined {
  const { [RAY_LABELS.replicaIndex]: replica = '', [RAY_LABELS.hostIndex]: host = '0' } = metadata?.labels ?? {};
  if (!NUMBER.test(replica) || !NUMBER.test(host)) return undefined;
  return { replica: Number(replica), host: Number(host) };
}

/** Keeps a label that somebody else wrote from being taken at its word. */
const NUMBER = /^\d{1,5}$/;

/** None on a head. The name of the replica and the index of the host only where it has several, as with KubeRay. */
export function positionLabels(replica: Replica): Record<string, string> {
  const { role, position } = replica;
  if (position === undefined) return {};
  return {
    [RAY_LABELS.replicaIndex]: String(position.replica),
    ...((role.podsPerReplica ?? 1) > 1 && {
      [RAY_LABELS.replicaName]: replicaName(role.name, replicaIndexOf(replica)),
      [RAY_LABELS.hostIndex]: String(position.host),
    }),
  };
}
