/**
 * Roles of whose failures a rule of the job's failure policy may speak. Muster restarts them itself, as new pods: what the kubelet
 * starts again in place, or a Job by itself, no rule would be asked of. Pods of a StatefulSet it has to leave alone, since they
 * are always restarted in place.
 */
import type { RunPolicy } from '@muster/job-api';
import { workloadResourceOf } from '../model/replica-identity.ts';
import type { ReplicaRole } from '../model/training-job.ts';

export function restartingRoles(
  roles: readonly ReplicaRole[],
  { failurePolicy }: Pick<RunPolicy, 'failurePolicy'>,
): readonly ReplicaRole[] {
  if (failurePolicy === undefined) return roles;
  const isSpokenOf = ({ name }: ReplicaRole) =>
    failurePolicy.rules.some((rule) => rule.roles === undefined || rule.roles.includes(name));
  const isInPlace = failurePolicy.rules.some(({ inPlace }) => inPlace === true);
  return roles.map((role) =>
    isSpokenOf(role) && role.identity?.kind !== 'StatefulSet' ? restarting(role, isInPlace) : role,
  );
}

function restarting(role: ReplicaRole, isInPlace: boolean): ReplicaRole {
  const { restartPolicy } = role;
  const workload = workloadResourceOf(role);
  return {
    ...role,
    restartsAsPods: true,
    ...(isInPlace && workload === undefined && { restartsInPlace: true }),
    // Under Always a kubelet starts again also what has ended well.
    ...(restartPolicy === 'Always' && { mustNotEnd: true }),
    ...(workload && { identity: { ...workload, spec: { ...workload.spec, backoffLimit: 0 } } }),
  };
}
