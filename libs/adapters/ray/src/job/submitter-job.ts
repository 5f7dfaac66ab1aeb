/** The submitter of K8sJobMode, a Job whose log is the entrypoint's. */
import { IGNORE_DISRUPTIONS } from '@muster/common-job-controller';
import type { Container, EnvVar, Job, Pod, PodTemplateSpec, RayJob } from '@muster/job-api';
import { withTokenVolume } from '../access/token-auth.ts';
import { gcsBackend } from '../fault-tolerance/gcs-backend.ts';
import type { ClusterModel } from '../model/ray-cluster-model.ts';
import { RAY_LABELS } from '../model/ray-labels.ts';
import type { Submitter } from './observed-ray-job.ts';
import { FAULT_TOLERANT_TIMEOUT_MS } from './ray-job-deadlines.ts';
import { jobLabels } from './ray-job-labels.ts';
import { submitterName } from './ray-job-names.ts';
import type { RayJobRecord } from './ray-job-status.ts';
import { SUBMITTER_ENV, SUBMITTER_EXIT } from './submit-script.ts';
import { defaultSubmitter, runsOwnCommand, SUBMITTER_CONTAINER, submitterContainer } from './submitter-container.ts';

const USUAL_BACKOFF_LIMIT = 2;

export interface SubmitterOptions {
  /**
   * The session of Ray when the cluster became ready (`/api/version`). With it a recreated pod does not resubmit a job
   * that Ray has lost; without it only the first pod can tell.
   */
  readonly session?: string;
}

/** The record has a job id and the dashboard's address. An existing Job is never changed. */
export function submitterJob(
  job: RayJob,
  record: RayJobRecord,
  cluster: ClusterModel,
  options: SubmitterOptions = {},
): Job {
  const { name = '', namespace } = job.metadata ?? {};
  const { submitterConfig, submitterPodTemplate } = job.spec;
  const template = submitterPodTemplate ?? defaultTemplate(cluster);
  const [container = defaultSubmitter(cluster.spec.headGroupSpec.template), ...others] =
    template.spec?.containers ?? [];
  const address = record.dashboardURL ?? '';
  const submitter = submitterContainer(container, job.spec, record, {
    cluster,
    address,
    env: ownEnv(cluster, options),
  });
  const restartPolicy = template.spec?.restartPolicy ?? 'Never';
  const spec = withTokenVolume(cluster, { ...template.spec, containers: [submitter, ...others], restartPolicy });
  const labels = jobLabels(name);
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      name: submitterName({ name }),
      ...(namespace !== undefined && { namespace }),
      labels: {
        ...labels,
        [RAY_LABELS.createdBy]: 'kuberay-operator',
        [RAY_LABELS.cluster]: record.rayClusterName ?? '',
      },
    },
    spec: {
      backoffLimit: submitterConfig?.backoffLimit ?? USUAL_BACKOFF_LIMIT,
      // The API server accepts it only with restartPolicy Never.
      ...(restartPolicy === 'Never' && { podFailurePolicy: failurePolicy(container) }),
      // Without the cluster's label: Ray's autoscaler counts every pod with it as a node.
      template: { metadata: { ...template.metadata, labels: { ...template.metadata?.labels, ...labels } }, spec },
    },
  };
}

/** The submitter uses the head's image and pull secrets. */
function defaultTemplate({ spec }: ClusterModel): PodTemplateSpec {
  const { template } = spec.headGroupSpec;
  const { imagePullSecrets } = template.spec ?? {};
  return { spec: { containers: [defaultSubmitter(template)], ...(imagePullSecrets && { imagePullSecrets }) } };
}

function ownEnv(cluster: ClusterModel, { session }: SubmitterOptions): EnvVar[] {
  const silence = { name: SUBMITTER_ENV.silenceLimitSeconds, value: String(FAULT_TOLERANT_TIMEOUT_MS / 1000) };
  return [
    ...(session !== undefined && session !== '' ? [{ name: SUBMITTER_ENV.session, value: session }] : []),
    ...(gcsBackend(cluster) !== undefined ? [silence] : []),
  ];
}

/** A drain or preemption is not a failure. Retrying a final exit code would only repeat the log. */
function failurePolicy(container: Container): NonNullable<NonNullable<Job['spec']>['podFailurePolicy']> {
  const values = [SUBMITTER_EXIT.notSucceeded, SUBMITTER_EXIT.refused];
  const final = { action: 'FailJob', onExitCodes: { containerName: container.name, operator: 'In', values } };
  return { rules: [IGNORE_DISRUPTIONS, ...(runsOwnCommand(container) ? [] : [final])] };
}

export function readSubmitterJob({ status }: Job): Submitter {
  const end = status?.conditions?.find(
    ({ type, status: holds }) => (type === 'Complete' || type === 'Failed') && holds === 'True',
  );
  if (end === undefined) return {};
  const { type, reason, message } = end;
  return {
    end: {
      hasFailed: type === 'Failed',
      message: [reason, message].filter(Boolean).join(', '),
    },
  };
}

/** Undefined if the pod has no such container, or not yet. */
export function readSidecarSubmitter({ status }: Pod): Submitter | undefined {
  const container = status?.containerStatuses?.find(({ name }) => name === SUBMITTER_CONTAINER);
  if (container === undefined) return undefined;
  const { terminated } = container.state ?? {};
  if (terminated === undefined) return {};
  const { exitCode, reason, message } = terminated;
  return {
    end: {
      hasFailed: exitCode !== 0,
      message: `exit code ${exitCode}, ${message?.trim() || reason || 'no reason'}`,
    },
  };
}
