/** The pods of a RayJob: those of its RayCluster and of the Job that submits it. */
import { rayAdapters } from '@muster/adapter-ray';
import type { JobManifest } from '@muster/common-job-controller';
import { RAY_CLUSTER_LABEL, RAY_CLUSTERS, RAY_JOBS, type RayJobSpec } from '@muster/job-api';
import type { PodRule } from './pod-rule.ts';

/** Label of Kubernetes with the name of a pod's Job. The submitter has the name of its RayJob. */
const JOB_NAME = 'job-name';

/** The role of submitter pods. */
const SUBMITTER_ROLE = 'submitter';

function labelsOf(kind: string) {
  const found = rayAdapters().find(({ resource }) => resource.kind === kind);
  if (found === undefined) throw new Error(`the ray operator runs no ${kind}`);
  return found.labels;
}

/** KubeRay's cluster pods are identified by the cluster's name, which is in the job's status. */
export const rayJobPods: PodRule = {
  selectors({ metadata: { name = '' } = {} }) {
    const own = Object.entries(labelsOf(RAY_JOBS.kind).ofJob(name)).map(([key, value]) => `${key}=${value}`);
    return [RAY_CLUSTER_LABEL, own.join(','), `${JOB_NAME}=${name}`];
  },
  isOf(job, pod) {
    const labels = pod.metadata?.labels ?? {};
    const name = job.metadata?.name;
    if (labels[RAY_CLUSTER_LABEL] !== undefined && labels[RAY_CLUSTER_LABEL] === clusterOf(job)) return true;
    return labelsOf(RAY_JOBS.kind).jobOf(labels) === name || labels[JOB_NAME] === name;
  },
  replicaOf: (pod) => labelsOf(RAY_CLUSTERS.kind).replicaOf(pod) ?? { role: SUBMITTER_ROLE, index: 0 },
  deciding({ spec }) {
    const { submissionMode = 'K8sJobMode' } = (spec ?? {}) as Partial<RayJobSpec>;
    return submissionMode === 'K8sJobMode' ? `${SUBMITTER_ROLE}-0` : undefined;
  },
};

function clusterOf({ status }: JobManifest): string | undefined {
  return (Object(status) as { rayClusterName?: string }).rayClusterName;
}
