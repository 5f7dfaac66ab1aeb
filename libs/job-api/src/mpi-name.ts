/** Which names an MPIJob may have: those from which the names of all its pods, and of its launcher, are DNS labels. */
import { suffixOfSpecs, type ReplicaSpecs } from './any-case-roles.ts';
import { jobNameRules, LONGEST_DNS_LABEL, suffixOfRoles, type NameSuffix } from './job-name.ts';
import type { KubeObject } from './kubernetes.ts';
import type { MPIGeneration } from './mpi-generation.ts';
import { mostWorkersOfV1alpha1, mostWorkersOfV1alpha1Cel } from './mpi-v1alpha1.ts';
import type { Rule } from './rule.ts';

interface SizedJob extends KubeObject {
  readonly spec: { readonly apiGeneration: MPIGeneration; readonly mpiReplicaSpecs?: ReplicaSpecs };
}

const LAUNCHER_SUFFIX = '-launcher'.length;

const v1alpha1 = suffixOfRoles<SizedJob>([
  {
    role: 'Worker',
    of: ({ spec }) => mostWorkersOfV1alpha1(spec),
    cel: (job) => mostWorkersOfV1alpha1Cel(`${job}.?spec`),
  },
]);

const sinceV1 = suffixOfSpecs<SizedJob>('mpiReplicaSpecs', ({ spec }) => spec.mpiReplicaSpecs ?? {}, 'Worker');

const suffix: NameSuffix<SizedJob> = {
  of: (job) => Math.max(LAUNCHER_SUFFIX, (job.spec.apiGeneration === 'v1alpha1' ? v1alpha1 : sinceV1).of(job)),
  fitsCel:
    `(oldSelf.hasValue() || self.metadata.name.size() + ${LAUNCHER_SUFFIX} <= ${LONGEST_DNS_LABEL}) && ` +
    `(self.?spec.?apiGeneration.orValue('') == 'v1alpha1' ? (${v1alpha1.fitsCel}) : (${sinceV1.fitsCel}))`,
};

/** The rules for `metadata.name` of an MPIJob. */
export function mpiNameRules<Job extends SizedJob>(): Rule<Job>[] {
  return jobNameRules<Job>(suffix);
}
