/**
 * Roles with a rule in the failure policy. Muster restarts their replicas as new pods, because no rule applies to restarts by the kubelet
 * or by a Job. Pods of a StatefulSet are always restarted in place.
 */
import type { RunPolicy } from '@muster/job-api';
import { workloadResourceOf } from '../model/replica-identity.ts';
import type { ReplicaRole } from '../model/training-job.ts';

export function restartingRoles(
  roles: readonly ReplicaRole[],
  { failurePolicy }: Pick<RunPolicy, 'failurePolicy'>,
): readonly ReplicaRole[] {
  if (failurePolicy === undefined) return roles;
  const hasRule = ({ name }: ReplicaRole) => failurePolicy.rules.some((rule) => rule.roles?.includes(name) !== false);
  const isInPlace = failurePolicy.rules.some(({ inPlace }) => inPlace === true);
  return roles.map((role) =>
    hasRule(role) && role.identity?.kind !== 'StatefulSet' ? restarting(role, isInPlace) : role,
  );
}

function restarting(role: ReplicaRole, isInPlace: boolean): ReplicaRole {
  const { restartPolicy } = role;
  const workload = workloadResourceOf(role);
  return {
    ...role,
    restartsAsPods: true,
    ...(isInPlace && workload === undefined && { restartsInPlace: true }),
    // With restartPolicy Always, the kubelet restarts also containers that succeeded.
    ...(restartPolicy === 'Always' && { mustNotEnd: true }),
    ...(workload && { identity: { ...workload, spec: { ...workload.spec, backoffLimit: 0 } } }),
  };
}
