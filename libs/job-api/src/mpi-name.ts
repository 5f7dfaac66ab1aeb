/** Validates names of MPIJobs: the names of all pods, and of the objects that create them, must be DNS labels. */
import { suffixOfSpecs, type ReplicaSpecs } from './any-case-roles.ts';
import { jobNameRules, MAX_DNS_LABEL_LENGTH, type NameSuffix } from './job-name.ts';
import type { KubeObject } from './kubernetes.ts';
import type { MPIGeneration } from './mpi-generation.ts';
import type { Rule } from './rule.ts';

interface SizedJob extends KubeObject {
  readonly spec: { readonly apiGeneration: MPIGeneration; readonly mpiReplicaSpecs?: ReplicaSpecs };
}

const LAUNCHER_SUFFIX = '-launcher'.length;

/**
 * Workers of v1alpha1 belong to a StatefulSet. Its controller writes its name and a hash of ten characters into a
 * label of the pods, which is longer than the index of any worker.
 */
const STATEFUL_SET_SUFFIX = '-worker'.length + '-0123456789'.length;

const sinceV1 = suffixOfSpecs<SizedJob>('mpiReplicaSpecs', ({ spec }) => spec.mpiReplicaSpecs ?? {}, 'Worker');

const fits = (suffix: number) =>
  `oldSelf.hasValue() || self.metadata.name.size() + ${suffix} <= ${MAX_DNS_LABEL_LENGTH}`;

const suffix: NameSuffix<SizedJob> = {
  of: (job) =>
    job.spec.apiGeneration === 'v1alpha1' ? STATEFUL_SET_SUFFIX : Math.max(LAUNCHER_SUFFIX, sinceV1.of(job)),
  fitsCel:
    `self.?spec.?apiGeneration.orValue('') == 'v1alpha1' ? (${fits(STATEFUL_SET_SUFFIX)}) : ` +
    `((${fits(LAUNCHER_SUFFIX)}) && (${sinceV1.fitsCel}))`,
};

/** Rules for `metadata.name` of an MPIJob. */
export function mpiNameRules<Job extends SizedJob>(): Rule<Job>[] {
  return jobNameRules<Job>(suffix);
}
