/** RayJobs as users of KubeRay write them, each for one feature. */
import type { AcceptedManifest } from './admission-table.ts';
import { clusterSpec, group, ray, rayJob, template } from './ray-manifests.ts';

const RUNTIME_ENV = 'pip:\n  - requests==2.32.3\nenv_vars:\n  counter_name: "test_counter"\n';

const OWN_CLUSTER = {
  rayClusterSpec: clusterSpec({
    rayVersion: '2.52.0',
    workerGroupSpecs: [group('small-group', { replicas: 1, minReplicas: 1, maxReplicas: 5, rayStartParams: {} })],
  }),
};

const SELECTED = { rayClusterSpec: undefined, clusterSelector: { 'ray.io/cluster': 'raycluster-kuberay' } };

const sample = (name: string, spec: object) => rayJob({ ...OWN_CLUSTER, runtimeEnvYAML: RUNTIME_ENV, ...spec }, name);

export const RAY_JOB_SAMPLES: readonly AcceptedManifest[] = [
  {
    what: 'K8sJobMode',
    manifest: sample('rayjob-sample', {
      entrypoint: 'python /home/ray/samples/sample_code.py',
      shutdownAfterJobFinishes: true,
      ttlSecondsAfterFinished: 10,
      activeDeadlineSeconds: 120,
      preRunningDeadlineSeconds: 60,
      backoffLimit: 2,
      submitterConfig: { backoffLimit: 0 },
      submitterPodTemplate: template([ray({ name: 'ray-job-submitter' })], { restartPolicy: 'Never' }),
    }),
  },
  {
    what: 'HTTPMode, with resources of the entrypoint',
    manifest: sample('rayjob-http', {
      submissionMode: 'HTTPMode',
      jobId: 'rayjob-http-1',
      metadata: { job_submission_id: '123' },
      entrypointNumCpus: 0.5,
      entrypointNumGpus: 1,
      entrypointResources: '{"Custom_1": 1, "Custom_2": 5.5}',
    }),
  },
  {
    what: 'SidecarMode',
    manifest: sample('rayjob-sidecar-mode', { submissionMode: 'SidecarMode', backoffLimit: 1 }),
  },
  {
    what: 'InteractiveMode',
    manifest: sample('rayjob-interactive-mode', { submissionMode: 'InteractiveMode', entrypoint: undefined }),
  },
  { what: 'a selected cluster', manifest: sample('rayjob-use-existing-raycluster', SELECTED) },
  {
    what: 'a selected cluster, in HTTPMode',
    manifest: sample('rayjob-use-existing-http', { ...SELECTED, submissionMode: 'HTTPMode' }),
  },
  {
    what: 'a job that waits for its queue',
    manifest: sample('rayjob-queued', { suspend: true, shutdownAfterJobFinishes: true }),
  },
  {
    what: 'rules of deletion',
    manifest: sample('rayjob-deletion-rules', {
      deletionStrategy: {
        deletionRules: [
          { policy: 'DeleteWorkers', condition: { jobStatus: 'FAILED', ttlSeconds: 100 } },
          { policy: 'DeleteCluster', condition: { jobStatus: 'FAILED', ttlSeconds: 600 } },
          { policy: 'DeleteCluster', condition: { jobStatus: 'SUCCEEDED', ttlSeconds: 10 } },
          { policy: 'DeleteSelf', condition: { jobStatus: 'SUCCEEDED', ttlSeconds: 120 } },
          { policy: 'DeleteSelf', condition: { jobDeploymentStatus: 'Failed' } },
        ],
      },
    }),
  },
  {
    what: 'the older form of deletion',
    manifest: sample('rayjob-deletion-legacy', {
      deletionStrategy: { onSuccess: { policy: 'DeleteCluster' }, onFailure: { policy: 'DeleteNone' } },
    }),
  },
];
