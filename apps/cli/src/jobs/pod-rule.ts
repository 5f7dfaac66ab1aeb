/** Which pods are a job's, and which replica each of them is. */
import { controllerOf, type FrameworkAdapter, type JobManifest } from '@muster/common-job-controller';
import type { Pod } from '@muster/job-api';

export interface PodRule {
  /** Label selectors that find all of its pods between them, and maybe others. */
  selectors(job: JobManifest): readonly string[];
  /** Whether a pod that one of them has found is the job's. */
  isOf(job: JobManifest, pod: Pod): boolean;
  /** The role in lower case. Without an index, the pod is told apart by its name. */
  replicaOf(pod: Pod): { readonly role: string; readonly index?: number } | undefined;
  /** The name of the replica whose log tells how the job goes, where labels do not say it. Default: they do. */
  deciding?(job: JobManifest): string | undefined;
}

/** By the labels that the operator gives pods; those of the operators before it are the same. */
export function podRuleOf({ labels }: Pick<FrameworkAdapter, 'labels'>): PodRule {
  return {
    selectors({ metadata: { name = '' } = {} }) {
      return Object.entries(labels.ofJob(name))
        .filter(([, value]) => value === name)
        .map(([key, value]) => `${key}=${value}`);
    },
    isOf: (job, pod) => labels.jobOf(pod.metadata?.labels ?? {}) === job.metadata?.name && !isOfNamesake(job, pod),
    replicaOf: (pod) => labels.replicaOf(pod),
  };
}

/** Whether the pod is one of another job of the same kind and name, which was there before. */
function isOfNamesake(job: JobManifest, pod: Pod): boolean {
  const controller = controllerOf(pod);
  return controller?.kind === job.kind && controller?.uid !== job.metadata?.uid;
}
