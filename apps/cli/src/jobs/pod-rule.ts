/** Finds the pods of a job, and the replica of each. */
import { controllerOf, type FrameworkAdapter, type JobManifest } from '@muster/common-job-controller';
import type { Pod } from '@muster/job-api';

export interface PodRule {
  /** Label selectors that together match all pods of the job, and possibly others. */
  selectors(job: JobManifest): readonly string[];
  /** Whether a matching pod belongs to the job. */
  isOf(job: JobManifest, pod: Pod): boolean;
  /** The role in lower case. A pod without an index is identified by its name. */
  replicaOf(pod: Pod): { readonly role: string; readonly index?: number } | undefined;
  /** The name of the deciding replica, if labels do not show it. Default: by labels. */
  deciding?(job: JobManifest): string | undefined;
}

/** By the pod labels of the operator, which Kubeflow's operators set, too. */
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

/** Of a kind whose objects own no pods, but other jobs. */
export const NO_PODS: PodRule = { selectors: () => [], isOf: () => false, replicaOf: () => undefined };

/** Whether the pod belongs to an earlier job of the same kind and name. */
function isOfNamesake(job: JobManifest, pod: Pod): boolean {
  const controller = controllerOf(pod);
  return controller?.kind === job.kind && controller?.uid !== job.metadata?.uid;
}
