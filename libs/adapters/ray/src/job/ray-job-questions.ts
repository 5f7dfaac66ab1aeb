/** What is asked of the dashboard of a RayJob's cluster, and what is said to it. */
import type { Question } from '@muster/common-job-controller';
import { AUTH_TOKEN_KEY, tokenSecretName } from '../access/token-auth.ts';
import { clusterModel } from '../cluster/ray-settings.ts';
import { jobQuestion, nodeQuestion, sessionQuestion, stopCall, submitCall, type DashboardCall } from './dashboard.ts';
import { hasFaultTolerance } from './fault-tolerant-cluster.ts';
import { isReady } from './learned-record.ts';
import type { ObservedRayJob, Submitter } from './observed-ray-job.ts';
import { nextState } from './ray-job-state.ts';
import { raySubmission } from './ray-job-submission.ts';
import { hasRayJobEnded } from './ray-job-status.ts';

const TIMEOUT_MS = 5000;
const EVERY_MS = 3000;
const USUAL_PORT = 8265;

/**
 * Once the submitter has ended, the question has another name: an answer to it was given after that end, whatever the clocks of Ray,
 * of Kubernetes and of the operator say.
 */
export function questionName(jobId: string, submitter: Submitter | undefined): string {
  return submitter?.end === undefined ? `job ${jobId}` : `job ${jobId}, after its submitter`;
}

export function sessionName(jobId: string): string {
  return `session ${jobId}`;
}

/** The node is in the name: an answer is of the node that a job runs on now. */
export function driverNodeName(nodeId: string): string {
  return `node ${nodeId}`;
}

export function submissionName(jobId: string): string {
  return `submission ${jobId}`;
}

export function stopName(jobId: string): string {
  return `stop ${jobId}`;
}

/** How Ray's job is doing, as soon as it may be there; and before, to which session of Ray it is to be submitted. */
export function jobQuestions(observed: ObservedRayJob): Question[] {
  const { record, spec } = observed;
  if (isToBeSubmitted(observed)) return asQuestions(observed, sessionName(record.jobId ?? ''), sessionQuestion());
  const { jobDeploymentStatus, jobId = '' } = record;
  const isAsked =
    jobDeploymentStatus === 'Running' ||
    (jobDeploymentStatus === 'Initializing' && spec.submissionMode === 'SidecarMode');
  if (!isAsked || jobId === '' || hasRayJobEnded(record.jobStatus)) return [];
  return [
    ...asQuestions(observed, questionName(jobId, observed.submitter), jobQuestion(jobId)),
    ...driverNodeQuestions(observed),
  ];
}

function isToBeSubmitted({ record, spec, cluster, submitter }: ObservedRayJob): boolean {
  const isSubmitterJob = (spec.submissionMode ?? 'K8sJobMode') === 'K8sJobMode';
  return record.jobDeploymentStatus === 'Initializing' && isSubmitterJob && isReady(cluster) && submitter === undefined;
}

/** Without fault tolerance Ray knows no more of a job that was lost with its head. */
function driverNodeQuestions(observed: ObservedRayJob): Question[] {
  const { answer, cluster } = observed;
  if (answer?.kind !== 'Job' || answer.driverNode === undefined || !hasFaultTolerance(cluster)) return [];
  return asQuestions(observed, driverNodeName(answer.driverNode), nodeQuestion(answer.driverNode));
}

/** HTTPMode: the job is submitted by the operator. */
export function jobCalls(observed: ObservedRayJob): Question[] {
  const { record, submits } = nextState(observed);
  const { jobId = '' } = record;
  if (!submits || jobId === '') return [];
  return asQuestions(observed, submissionName(jobId), submitCall(raySubmission(observed.spec, jobId)));
}

/** Of a job that may have been submitted and has not ended in Ray; undefined where there is none, or nobody to ask. */
export function stopQuestion(observed: ObservedRayJob): Question | undefined {
  const { jobId = '', jobStatus, jobDeploymentStatus } = observed.record;
  const maySubmit = jobDeploymentStatus === 'Running' || jobDeploymentStatus === 'Failed';
  if (jobId === '' || hasRayJobEnded(jobStatus) || (jobStatus === '' && !maySubmit)) return undefined;
  return asQuestions(observed, stopName(jobId), stopCall(jobId))[0];
}

function asQuestions(observed: ObservedRayJob, name: string, { path, ...call }: DashboardCall): Question[] {
  const { cluster, namespace, clusterDomain } = observed;
  const { head, endpoints } = cluster?.status ?? {};
  if (cluster === undefined || head?.serviceName === undefined || head.serviceName === '') return [];
  const secret = tokenSecretName(clusterModel(cluster, { clusterDomain }));
  return [
    {
      ...call,
      name,
      url: { namespace, service: head.serviceName, port: Number(endpoints?.['dashboard'] ?? USUAL_PORT), path },
      // Not `Authorization`: the API server takes that for its own.
      ...(secret !== undefined && { token: { header: 'x-ray-authorization', namespace, secret, key: AUTH_TOKEN_KEY } }),
      timeoutMs: TIMEOUT_MS,
      everyMs: EVERY_MS,
    },
  ];
}
