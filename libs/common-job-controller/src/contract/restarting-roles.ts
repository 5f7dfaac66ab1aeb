/**
 * Roles that a rule of the failure policy applies to. Muster restarts their failed replicas as new pods: a rule cannot apply to a restart
 * by the kubelet or by a Job. A StatefulSet's pods are excluded, because they are always restarted in place.
 */
import type { RunPolicy } from '@muster/job-api';
import { workloadResourceOf } from '../model/replica-identity.ts';
import type { ReplicaRole } from '../model/training-job.ts';

export function restartingRoles(
  roles: readonly ReplicaRole[],
  { failurePolicy }: Pick<RunPolicy, 'failurePolicy'>,
): readonly ReplicaRole[] {
  if (failurePolicy === undefined) return roles;
  const hasRule = ({ name }: ReplicaRole) =>
    failurePolicy.rules.some((rule) => rule.roles === undefined || rule.roles.includes(name));
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
