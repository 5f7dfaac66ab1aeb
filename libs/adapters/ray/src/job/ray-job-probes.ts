/** Requests to the dashboard of a RayJob's cluster: queries, and calls that submit or stop the job. */
import type { Probe } from '@muster/common-job-controller';
import { AUTH_TOKEN_KEY, tokenSecretName } from '../access/token-auth.ts';
import { clusterModel } from '../cluster/ray-settings.ts';
import { jobCall, nodeCall, sessionCall, stopCall, submitCall, type DashboardCall } from './dashboard.ts';
import { hasFaultTolerance } from './fault-tolerant-cluster.ts';
import { isPolled, isReady } from './observed-record.ts';
import type { ObservedRayJob, Submitter } from './observed-ray-job.ts';
import { submitterIsJob } from './ray-job-conditions.ts';
import type { EvaluatedRayJob } from './ray-job-state.ts';
import { raySubmission } from './ray-job-submission.ts';
import { hasRayJobEnded } from './ray-job-status.ts';

const TIMEOUT_MS = 5000;
const EVERY_MS = 3000;
const USUAL_PORT = 8265;

/** Another name once the submitter has ended: so its answer is from after that end, independent of clocks. */
export function probeName(jobId: string, submitter: Submitter | undefined): string {
  return submitter?.end === undefined ? `job ${jobId}` : `job ${jobId}, after its submitter`;
}

export function sessionName(jobId: string): string {
  return `session ${jobId}`;
}

/** With the node in the name, an answer is never about the job's previous node. */
export function driverNodeName(nodeId: string): string {
  return `node ${nodeId}`;
}

export function submissionName(jobId: string): string {
  return `submission ${jobId}`;
}

export function stopName(jobId: string): string {
  return `stop ${jobId}`;
}

/** The status of Ray's job once it may exist; before, the session of Ray for the submission. */
export function jobProbes(observed: ObservedRayJob): Probe[] {
  const { record } = observed;
  if (isToBeSubmitted(observed)) return asProbes(observed, sessionName(record.jobId ?? ''), sessionCall());
  const { jobId = '' } = record;
  if (!isPolled(observed) || jobId === '' || hasRayJobEnded(record.jobStatus)) return [];
  return [
    ...asProbes(observed, probeName(jobId, observed.submitter), jobCall(jobId)),
    ...driverNodeQuestions(observed),
  ];
}

function isToBeSubmitted(observed: ObservedRayJob): boolean {
  const { record, cluster, submitter } = observed;
  const isStarting = record.jobDeploymentStatus === 'Initializing' && submitterIsJob(observed);
  return isStarting && isReady(cluster) && submitter === undefined;
}

/** Without fault tolerance Ray loses its jobs with the head. */
function driverNodeQuestions(observed: ObservedRayJob): Probe[] {
  const { answer, cluster } = observed;
  if (answer?.kind !== 'Job' || answer.driverNode === undefined || !hasFaultTolerance(cluster)) return [];
  return asProbes(observed, driverNodeName(answer.driverNode), nodeCall(answer.driverNode));
}

/** HTTPMode: the operator submits the job. */
export function jobCalls({ observed, step }: EvaluatedRayJob): Probe[] {
  const { jobId = '' } = step.record;
  if (!step.submits || jobId === '') return [];
  return asProbes(observed, submissionName(jobId), submitCall(raySubmission(observed.spec, jobId)));
}

/** Undefined for a job that was not submitted, has ended in Ray, or whose cluster has no address. */
export function stopProbe(observed: ObservedRayJob): Probe | undefined {
  const { jobId = '', jobStatus, jobDeploymentStatus } = observed.record;
  const maySubmit = jobDeploymentStatus === 'Running' || jobDeploymentStatus === 'Failed';
  if (jobId === '' || hasRayJobEnded(jobStatus) || (jobStatus === '' && !maySubmit)) return undefined;
  return asProbes(observed, stopName(jobId), stopCall(jobId))[0];
}

function asProbes(observed: ObservedRayJob, name: string, { path, ...call }: DashboardCall): Probe[] {
  const { cluster, namespace, clusterDomain } = observed;
  const { head, endpoints } = cluster?.status ?? {};
  if (cluster === undefined || head?.serviceName === undefined || head.serviceName === '') return [];
  const secret = tokenSecretName(clusterModel(cluster, { clusterDomain }));
  return [
    {
      ...call,
      name,
      url: { namespace, service: head.serviceName, port: Number(endpoints?.['dashboard'] ?? USUAL_PORT), path },
      // The API server does not pass on `Authorization`.
      ...(secret !== undefined && { token: { header: 'x-ray-authorization', namespace, secret, key: AUTH_TOKEN_KEY } }),
      timeoutMs: TIMEOUT_MS,
      everyMs: EVERY_MS,
    },
  ];
}
