/** Indexes of a worker's replica and host, for programs on several hosts and for webhooks of accelerators. */
import { replicaIndexOf, type Replica, type Position } from '@muster/common-job-controller';
import type { Pod } from '@muster/job-api';
import { replicaName } from '../model/names.ts';
import { RAY_LABELS } from '../model/ray-labels.ts';

export function positionOf({ metadata }: Pod): Position | undefined {
  const { [RAY_LABELS.replicaIndex]: replica = '', [RAY_LABELS.hostIndex]: host = '0' } = metadata?.labels ?? {};
  if (!NUMBER.test(replica) || !NUMBER.test(host)) return undefined;
  return { replica: Number(replica), host: Number(host) };
}

/** Ignores labels with other values. */
const NUMBER = /^\d{1,5}$/;

/** None for a head. As in KubeRay, name of replica and index of host exist only for replicas of several hosts. */
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
