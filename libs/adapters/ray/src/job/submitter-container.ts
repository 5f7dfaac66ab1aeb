/** The container that submits a job, in a Job's pod or in the head pod. */
import type { Container, EnvVar, PodTemplateSpec, RayJobSpec } from '@muster/job-api';
import { withToken } from '../access/token-auth.ts';
import type { ClusterModel } from '../model/ray-cluster-model.ts';
import { raySubmission } from './ray-job-submission.ts';
import type { RayJobRecord } from './ray-job-status.ts';
import { SUBMITTER_ENV, submitCommand } from './submit-script.ts';

export const SUBMITTER_CONTAINER = 'ray-job-submitter';

/** Small, with the head's image, so that its Ray version is the cluster's. */
export function defaultSubmitter(head: PodTemplateSpec): Container {
  const { image, imagePullPolicy } = head.spec?.containers[0] ?? {};
  return {
    name: SUBMITTER_CONTAINER,
    ...(image !== undefined && { image }),
    ...(imagePullPolicy !== undefined && { imagePullPolicy }),
    resources: { requests: { cpu: '500m', memory: '200Mi' }, limits: { cpu: '1', memory: '1Gi' } },
  };
}

export interface SubmitterContext {
  readonly cluster: ClusterModel;
  /** The dashboard's address for the container. */
  readonly address: string;
  /** Further variables. */
  readonly env?: readonly EnvVar[];
}

/** The user's own command is not changed. */
export function runsOwnCommand({ command = [] }: Container): boolean {
  return command.length > 0;
}

/** Adds variables, the cluster's token and, without a user's command, Muster's program. Keeps the user's variables. */
export function submitterContainer(
  container: Container,
  spec: RayJobSpec,
  record: RayJobRecord,
  { cluster, address, env = [] }: SubmitterContext,
): Container {
  const jobId = record.jobId ?? '';
  const own: EnvVar[] = [
    { name: 'PYTHONUNBUFFERED', value: '1' },
    { name: SUBMITTER_ENV.address, value: address },
    { name: SUBMITTER_ENV.jobId, value: jobId },
    ...env,
  ];
  const users = container.env ?? [];
  const added = own.filter(({ name }) => !users.some((one) => one.name === name));
  return withToken(cluster, {
    ...container,
    ...(!runsOwnCommand(container) && submitCommand(raySubmission(spec, jobId))),
    env: [...users, ...added],
  });
}
