/** Differences from Kubeflow's operators that hold for every kind of job. An adapter with differences of its own adds them before these. */
import type { ComparedJob, Difference } from '@muster/common-job-controller';
import { hasCondition, isFinished, momentOf, type JobStatus } from '@muster/job-api';
import { documented } from './documented.ts';

const PAGE = 'every-kind';

const onlyOurs = ({ theirs }: Difference) => theirs === '';
const onlyTheirs = ({ ours }: Difference) => ours === '';
const hasEnded = (_difference: Difference, { theirs }: ComparedJob) => isFinished(theirs);
const isSuspended = ({ runPolicy }: ComparedJob) => runPolicy.suspend === true;
/** Both operators say so in the message of the condition. */
const hasReachedLimit = ({ conditions = [] }: Partial<JobStatus>) =>
  conditions.some(({ type, message = '' }) => type === 'Failed' && /backoff ?limit/i.test(message));
/** The other operator sets the time when the job is resumed. */
const hasBegunAgain = ({ theirs: { startTime }, ours: { completionTime } }: ComparedJob) =>
  (momentOf(startTime) ?? -Infinity) >= (momentOf(completionTime) ?? Infinity) - 1000;
const SHARED = 'conditions|replicaStatuses|startTime|completionTime|lastReconcileTime';
const SHARED_OF_ROLES = 'active|succeeded|failed|selector';

function countOf({ replicaStatuses = {} }: Partial<JobStatus>, field: string, count: 'succeeded'): number {
  const [, role = ''] = /^status\.replicaStatuses\.([^.]+)\./.exec(field) ?? [];
  return replicaStatuses[role]?.[count] ?? 0;
}

export const DIFFERENCES_OF_EVERY_KIND = [
  // Statuses.
  documented(PAGE, 'fields that only Muster writes', new RegExp(`^status\\.(?!(?:${SHARED})\\b)`), onlyOurs),
  documented(
    PAGE,
    'fields that only Muster writes',
    new RegExp(`^status\\.replicaStatuses\\.[^.]+\\.(?!(?:${SHARED_OF_ROLES})$)`),
    onlyOurs,
  ),
  documented(PAGE, '`replicaStatuses[role].selector`', /^status\.replicaStatuses\.[^.]+\.selector$/),
  documented(
    PAGE,
    'Restarting after the end, and under suspension',
    /^status\.conditions\[Restarting\]/,
    (difference, job) => onlyTheirs(difference) && (hasEnded(difference, job) || isSuspended(job)),
  ),
  documented(PAGE, 'message of a failure', /^status\.conditions\[(?:Failed|Restarting)\]\.message$/),
  documented(
    PAGE,
    'counts of a finished job',
    /^status\.replicaStatuses\.[^.]+\.(?:active|succeeded|failed)$/,
    hasEnded,
  ),
  documented(
    PAGE,
    'a succeeded pod that is deleted',
    /^status\.replicaStatuses\.[^.]+\.(?:active|succeeded)$/,
    ({ field }, job) => countOf(job.ours, field, 'succeeded') > countOf(job.theirs, field, 'succeeded'),
  ),
  documented(
    PAGE,
    '`replicaStatuses[role].failed` while a failed replica is replaced',
    /^status\.replicaStatuses\.[^.]+\.failed$/,
    onlyTheirs,
  ),
  documented(
    PAGE,
    'Running after a restart',
    /^status\.conditions\[(?:Running|Restarting)\]/,
    (_difference, { theirs, ours }) =>
      hasCondition(theirs.conditions, 'Restarting') || hasCondition(ours.conditions, 'Restarting'),
  ),
  documented(
    PAGE,
    '`completionTime`',
    /^status\.completionTime$/,
    (difference, job) => onlyOurs(difference) && hasEnded(difference, job),
  ),
  documented(PAGE, '`startTime`', /^status\.startTime$/, (difference, job) => onlyOurs(difference) && isSuspended(job)),
  documented(
    PAGE,
    'pods cannot be placed or started',
    /^status\.conditions\[Waiting\]/,
    (difference, { ours }) => onlyOurs(difference) && hasCondition(ours.conditions, 'Waiting'),
  ),
  documented(PAGE, 'condition Created', /^status\.conditions\[Created\]/, onlyOurs),
  // Ends.
  documented(
    PAGE,
    'a pod ended by the cluster (eviction, preemption, lost node)',
    /^end$/,
    ({ theirs, ours }, job) => theirs === 'Failed' && ours !== 'Failed' && (job.ours.disruptionCount ?? 0) > 0,
  ),
  documented(
    PAGE,
    'a pod that is being deleted',
    /^end$/,
    ({ theirs, ours }, { hasLostPods }) => theirs === 'Failed' && ours !== 'Failed' && hasLostPods,
  ),
  documented(PAGE, 'a job suspended after its pods have ended', /^end$/, (_difference, job) => hasBegunAgain(job)),
  documented(
    PAGE,
    'meaning of its number',
    /^end$/,
    ({ theirs, ours }, job) => theirs === 'Failed' && ours !== 'Failed' && hasReachedLimit(job.theirs),
  ),
  documented(
    PAGE,
    'what `backoffLimit` counts',
    /^end$/,
    ({ theirs, ours }, job) => theirs !== 'Failed' && ours === 'Failed' && hasReachedLimit(job.ours),
  ),
  // Objects.
  documented(
    'gangs',
    'labels of pod groups and autoscalers',
    /^patch (?:PodGroup|HorizontalPodAutoscaler): metadata\.labels$/,
  ),
  documented(PAGE, 'last log lines as termination message', /\.terminationMessagePolicy$/),
  documented(PAGE, 'Services', /^Services$/),
  // The Service of the only replica has the same name in both forms.
  documented(PAGE, 'Services', /^create Service$/, ({ ours }, { metadata }) => ours === metadata.name),
  documented(PAGE, 'EndpointSlices of Services', /^create EndpointSlice$/),
  documented(PAGE, 'Services and readiness', /^Service: spec\.publishNotReadyAddresses$/),
  documented(PAGE, 'Services of a finished job', /^delete Service$/, hasEnded),
];
