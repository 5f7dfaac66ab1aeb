/** Ray: a cluster that loses a worker and is suspended, and a job that trains on its own cluster. */
import { RAY_CLUSTERS, RAY_JOBS, type JobStatus } from '@muster/job-api';
import type { DemoFramework, KindView } from '../demo-job.ts';
import { endsLikeOneProcess, endsSucceeded, lossFalls } from '../expectations.ts';
import { hasStopped, isSuspended, replaces, runsWithPods, trainsWith } from '../steps.ts';

/** The status of Ray's kinds has KubeRay's form, with Muster's status in a field. */
function viewBy(label: string): KindView {
  return {
    podSelector: (name) => `${label}=${name}`,
    statusOf: ({ muster = {} }: { readonly muster?: JobStatus }) => muster,
  };
}

const NODES = 3;

export const ray: DemoFramework = {
  name: 'ray',
  image: { name: 'ray-examples', reference: 'muster.local/ray-examples:2.60' },
  program: 'train.py',
  operatorFlags: [],
  jobs: [
    {
      manifest: 'raycluster.yaml',
      resource: RAY_CLUSTERS,
      view: viewBy('ray.io/cluster'),
      reporter: { pod: { 'ray.io/node-type': 'head' }, container: 'ray-head' },
      steps: [runsWithPods(NODES), replaces('small-worker-0'), isSuspended()],
      isOver: hasStopped,
      expectations: [],
    },
    {
      manifest: 'rayjob-k8s.yaml',
      resource: RAY_JOBS,
      view: viewBy('ray.io/originated-from-cr-name'),
      // The submitter, which Muster creates.
      reporter: { pod: { 'batch.kubernetes.io/job-name': 'ray-k8s' }, container: 'ray-job-submitter' },
      // Its entrypoint needs the program in the image, and Ray does not run in simulated pods.
      needsFurtherImages: true,
      needsRealPods: true,
      steps: [trainsWith(NODES)],
      expectations: [endsSucceeded, lossFalls, endsLikeOneProcess(NODES)],
    },
  ],
};
