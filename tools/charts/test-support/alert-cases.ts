/** For each alert, cases in which it fires, with its description, and cases in which it does not. One value per minute. */
import type { FrameworkName } from '@muster/job-api';
import {
  BUILD,
  ELECTION,
  JOBS,
  PER_JOB,
  PROCESS,
  RECORDING,
  REQUESTS,
  RAY_CRON,
  RAY_SERVE,
  RUNTIME,
  WATCHES,
  WORK_QUEUE,
  type LabelOf,
  type MetricDeclaration,
} from '@muster/metrics';

/** In the format of promtool, without the labels of the release. */
export interface Series {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Notation of promtool: `a+bxn` starts with a and adds b n times. */
  readonly values: string;
}

export interface AlertCase {
  /** The chart with the alert. Default: `pytorch-elastic`. */
  readonly framework?: FrameworkName;
  readonly alert: string;
  readonly when: string;
  readonly series: readonly Series[];
  readonly atMinute: number;
  /** Labels of the alert, besides the common ones. */
  readonly labels?: Readonly<Record<string, string>>;
  /** The description. Undefined: the alert does not fire. */
  readonly message?: string | undefined;
}

/** The leader, and a standby pod. */
const LEADER = 'rel-pytorch-elastic-6c8d9b7f54-x2k9p';
const STANDBY = 'rel-pytorch-elastic-6c8d9b7f54-q7w4z';

type LabelsOf<M extends MetricDeclaration> = Readonly<Record<LabelOf<M>, string>>;

/** Default: of the leader. */
function series<const M extends MetricDeclaration>(
  metric: M,
  labels: LabelsOf<M>,
  values: string,
  pod: { readonly pod?: string; readonly namespace?: string; readonly le?: string } = {},
): Series {
  const { le, ...rest } = pod;
  const part = metric.type !== 'histogram' ? '' : le === undefined ? '_count' : '_bucket';
  return { name: `${metric.name}${part}`, labels: { pod: LEADER, ...labels, ...rest, ...(le && { le }) }, values };
}

const leading = (namespace: string) => ({ kind: 'PyTorchJob', watched_namespace: namespace });
const CONTROLLER = { controller: 'pytorchjob' };
const QUEUE = { name: 'pytorchjobs', controller: 'pytorchjobs' };
const IN_TEAM = { job_namespace: 'team-a', framework: 'pytorch-elastic' };
const MNIST = { ...IN_TEAM, kind: 'PyTorchJob', job_name: 'mnist' };
const MNIST_LABELS = { job_namespace: 'team-a', kind: 'PyTorchJob', job_name: 'mnist' };

const PRESENCE: AlertCase[] = [
  {
    alert: 'MusterOperatorDown',
    when: 'nothing is scraped',
    series: [],
    atMinute: 6,
    message:
      'No pod of the release can be scraped. If the operator is down, running pods continue, but no job is started, restarted or ended. ' +
      'Check the pods of the release; if they are ready, check why Prometheus does not reach them.',
  },
  {
    alert: 'MusterOperatorDown',
    when: 'one of two pods is there',
    series: [series(BUILD.info, { version: '1.0.0', framework: 'pytorch-elastic' }, '1x20')],
    atMinute: 15,
  },
  {
    alert: 'MusterNoLeader',
    when: 'both pods are on standby',
    series: [
      series(ELECTION.masterStatus, { name: 'muster' }, '0x20'),
      series(ELECTION.masterStatus, { name: 'muster' }, '0x20', { pod: STANDBY }),
    ],
    atMinute: 6,
    labels: { name: 'muster' },
    message:
      'Pods of the release run, but none holds the Lease muster. Unless another release runs the same jobs, no job is started, ' +
      'restarted or ended. Check the holder of the Lease, and the log for errors about it.',
  },
  {
    alert: 'MusterNoLeader',
    when: 'another takes over after three minutes',
    series: [
      series(ELECTION.masterStatus, { name: 'muster' }, '1x3 0x20'),
      series(ELECTION.masterStatus, { name: 'muster' }, '0x6 1x20', { pod: STANDBY }),
    ],
    atMinute: 8,
  },
  {
    alert: 'MusterSeveralLeaders',
    when: 'both lead',
    series: [
      series(ELECTION.leads, leading('*'), '1x20'),
      series(ELECTION.leads, leading('*'), '1x20', { pod: STANDBY }),
    ],
    atMinute: 5,
    labels: leading('*'),
    message:
      '2 processes reconcile the PyTorchJobs in namespace * (* means all namespaces). ' +
      "They may undo each other's changes. Look for a second release, or one without leader election.",
  },
  {
    alert: 'MusterSeveralLeaders',
    when: 'an operator of a release in another namespace leads as well',
    series: [
      series(ELECTION.leads, leading('*'), '1x20'),
      series(ELECTION.leads, leading('*'), '1x20', { pod: 'torch-5d8b7c9f6-abcde', namespace: 'elsewhere' }),
    ],
    atMinute: 5,
    labels: leading('*'),
    message:
      '2 processes reconcile the PyTorchJobs in namespace * (* means all namespaces). ' +
      "They may undo each other's changes. Look for a second release, or one without leader election.",
  },
  {
    alert: 'MusterSeveralLeaders',
    when: 'one leads for all namespaces, and another one for a single one',
    series: [
      series(ELECTION.leads, leading('*'), '1x20'),
      series(ELECTION.leads, leading('team-a'), '1x20', { pod: 'torch-5d8b7c9f6-abcde', namespace: 'team-a' }),
    ],
    atMinute: 5,
    labels: leading('team-a'),
    message:
      '2 processes reconcile the PyTorchJobs in namespace team-a (* means all namespaces). ' +
      "They may undo each other's changes. Look for a second release, or one without leader election.",
  },
  {
    alert: 'MusterSeveralLeaders',
    when: 'each leads for its own namespaces or kinds, and one is on standby',
    series: [
      series(ELECTION.leads, leading('team-a'), '1x20'),
      series(ELECTION.leads, leading('team-b'), '1x20', { pod: 'torch-5d8b7c9f6-abcde', namespace: 'team-b' }),
      series(ELECTION.leads, leading('*'), '0x20', { pod: 'torch-5d8b7c9f6-fghij', namespace: 'ops' }),
      series(ELECTION.leads, { kind: 'TFJob', watched_namespace: '*' }, '1x20', { pod: 'tf-5d8b7c9f6-abcde' }),
    ],
    atMinute: 5,
  },
  {
    alert: 'MusterSeveralLeaders',
    when: 'two others lead for a namespace that is not of this release',
    series: [
      series(ELECTION.leads, leading('team-a'), '1x20'),
      series(ELECTION.leads, leading('team-b'), '1x20', { pod: 'torch-5d8b7c9f6-abcde', namespace: 'team-b' }),
      series(ELECTION.leads, leading('team-b'), '1x20', { pod: 'torch-5d8b7c9f6-fghij', namespace: 'ops' }),
    ],
    atMinute: 5,
  },
  {
    alert: 'MusterSeveralLeaders',
    when: 'the old leader is scraped for one more minute',
    series: [
      series(ELECTION.leads, leading('*'), '1x6 0x20'),
      series(ELECTION.leads, leading('*'), '0x5 1x20', { pod: STANDBY }),
    ],
    atMinute: 7,
  },
];

const RECONCILING: AlertCase[] = [
  {
    alert: 'MusterReconcileErrors',
    when: 'two of ten reconcile runs fail',
    series: [
      series(RUNTIME.errors, CONTROLLER, '0+2x60'),
      series(RUNTIME.reconciles, { ...CONTROLLER, result: 'error' }, '0+2x60'),
      series(RUNTIME.reconciles, { ...CONTROLLER, result: 'success' }, '0+8x60'),
    ],
    atMinute: 30,
    labels: CONTROLLER,
    message:
      '20% of the reconcile runs of controller pytorchjob end with an error. They are retried, so jobs are late. ' +
      'The log has each error, with the name of its job.',
  },
  {
    alert: 'MusterReconcileErrors',
    when: 'one of twenty reconcile runs fails',
    series: [
      series(RUNTIME.errors, CONTROLLER, '0+1x60'),
      series(RUNTIME.reconciles, { ...CONTROLLER, result: 'error' }, '0+1x60'),
      series(RUNTIME.reconciles, { ...CONTROLLER, result: 'success' }, '0+19x60'),
    ],
    atMinute: 40,
  },
  {
    alert: 'MusterReconcileDefects',
    when: 'a reconcile run has failed with a defect',
    series: [series(RUNTIME.panics, CONTROLLER, '0x10 1x40')],
    atMinute: 12,
    labels: CONTROLLER,
    message:
      'Reconcile runs of controller pytorchjob that failed with a defect within 15 minutes: 1. ' +
      'The affected jobs are left unchanged. The log has the stack trace.',
  },
  {
    alert: 'MusterReconcileDefects',
    when: 'that was half an hour ago',
    series: [series(RUNTIME.panics, CONTROLLER, '0x10 1x40')],
    atMinute: 40,
  },
  {
    alert: 'MusterReconcileSlow',
    when: 'reconcile runs take 30 to 40 seconds',
    series: [
      series(RUNTIME.time, CONTROLLER, '0x60', { le: '30' }),
      series(RUNTIME.time, CONTROLLER, '0+10x60', { le: '40' }),
      series(RUNTIME.time, CONTROLLER, '0+10x60', { le: '+Inf' }),
    ],
    atMinute: 30,
    labels: CONTROLLER,
    message:
      'One in a hundred reconcile runs of controller pytorchjob takes longer than 39.9s. ' +
      'The API server is slow, or the jobs are large. Check the duration of requests.',
  },
  {
    alert: 'MusterReconcileSlow',
    when: 'reconcile runs take 20 to 30 seconds',
    series: [
      series(RUNTIME.time, CONTROLLER, '0x60', { le: '20' }),
      series(RUNTIME.time, CONTROLLER, '0+10x60', { le: '30' }),
      series(RUNTIME.time, CONTROLLER, '0+10x60', { le: '+Inf' }),
    ],
    atMinute: 40,
  },
  {
    alert: 'MusterReconcileHangs',
    when: 'a reconcile run has lasted for 12 minutes',
    series: [series(WORK_QUEUE.longestRunning, QUEUE, '0+60x20')],
    atMinute: 12,
    labels: { controller: 'pytorchjobs' },
    message:
      'A reconcile run of controller pytorchjobs has lasted for 12m 0s. Its job is not reconciled until it ends. ' +
      'Check for a very large job, or an API server that does not respond.',
  },
  {
    alert: 'MusterReconcileHangs',
    when: 'reconcile runs take four minutes each',
    series: [series(WORK_QUEUE.longestRunning, QUEUE, '0 60 120 180 240 0 60 120 180 240 0 60 120 180 240 0 60 120')],
    atMinute: 14,
  },
  {
    alert: 'MusterQueueStuck',
    when: 'jobs wait and no reconcile run ends',
    series: [
      series(WORK_QUEUE.depth, { ...QUEUE, priority: '0' }, '5x40'),
      series(WORK_QUEUE.worked, QUEUE, '700x40'),
    ],
    atMinute: 20,
    labels: { controller: 'pytorchjobs' },
    message:
      'At least 5 jobs wait in queue pytorchjobs, and no reconcile run has ended for 10 minutes. ' +
      'Check whether requests to the API server hang; otherwise restart the operator.',
  },
  {
    alert: 'MusterQueueStuck',
    when: 'jobs wait and no reconcile run has ever ended',
    series: [series(WORK_QUEUE.depth, { ...QUEUE, priority: '0' }, '5x40')],
    atMinute: 20,
    labels: { controller: 'pytorchjobs' },
    message:
      'At least 5 jobs wait in queue pytorchjobs, and no reconcile run has ended for 10 minutes. ' +
      'Check whether requests to the API server hang; otherwise restart the operator.',
  },
  {
    alert: 'MusterQueueStuck',
    when: 'only events wait to be written',
    series: [series(WORK_QUEUE.depth, { name: 'events', controller: 'events', priority: '0' }, '5x40')],
    atMinute: 30,
  },
  {
    alert: 'MusterQueueStuck',
    when: 'jobs wait and reconcile runs end',
    series: [
      series(WORK_QUEUE.depth, { ...QUEUE, priority: '0' }, '5x40'),
      series(WORK_QUEUE.worked, QUEUE, '0+1x40'),
    ],
    atMinute: 30,
  },
];

const SURROUNDINGS: AlertCase[] = [
  {
    alert: 'MusterWatchRestarts',
    when: 'a watch breaks every minute',
    series: [series(WATCHES.restarts, { resource: 'pods', reason: 'error' }, '0+1x40')],
    atMinute: 25,
    labels: { resource: 'pods' },
    message:
      'The watch of pods was restarted 15 times within 15 minutes, so the operator sees changes late. ' +
      'Check the connection to the API server, and whether the resource is served.',
  },
  {
    alert: 'MusterWatchRestarts',
    when: 'the API server was restarted, which broke a watch five times',
    series: [series(WATCHES.restarts, { resource: 'pods', reason: 'error' }, '0x5 0+1x5 5x40')],
    atMinute: 18,
  },
  {
    alert: 'MusterApiServerErrors',
    when: 'a tenth of the requests gets 503 or no response',
    series: [
      series(REQUESTS.total, { code: '200', method: 'GET', host: 'api' }, '0+90x40'),
      series(REQUESTS.total, { code: '503', method: 'GET', host: 'api' }, '0+5x40'),
      series(REQUESTS.total, { code: '<error>', method: 'GET', host: 'api' }, '0+5x40'),
    ],
    atMinute: 25,
    message:
      '10% of the requests to the API server end with 5xx, with 429 or without a response. ' +
      'The API server is overloaded, down or not reachable. Check the requests by code.',
  },
  {
    alert: 'MusterApiServerErrors',
    when: 'half of the requests are rejected with a conflict',
    series: [
      series(REQUESTS.total, { code: '200', method: 'PUT', host: 'api' }, '0+50x40'),
      series(REQUESTS.total, { code: '409', method: 'PUT', host: 'api' }, '0+50x40'),
      series(REQUESTS.total, { code: '503', method: 'GET', host: 'api' }, '0+1x40'),
    ],
    atMinute: 30,
  },
  {
    alert: 'MusterEventLoopBlocked',
    when: 'the event loop is blocked for 0.8 s at a time',
    series: [series(PROCESS.eventLoopLagP99, {}, '0.8x20')],
    atMinute: 6,
    labels: { pod: LEADER },
    message:
      `The event loop of pod ${LEADER} is blocked for 800ms or more at a time. The pod may lose its Lease or fail its probes. ` +
      'Check for a CPU limit, a full node, or too many jobs.',
  },
  {
    alert: 'MusterEventLoopBlocked',
    when: 'it is blocked for 0.4 s at a time, once for 5 s',
    series: [series(PROCESS.eventLoopLagP99, {}, '0.4x5 5 0.4x10')],
    atMinute: 7,
  },
  {
    alert: 'MusterMemoryHigh',
    when: 'the process uses 500 MB of 512 MiB',
    series: [series(PROCESS.residentMemory, {}, '500000000x20')],
    atMinute: 12,
    labels: { pod: LEADER },
    message:
      `The process in pod ${LEADER} uses 476.8MiB, close to the memory limit of its container. ` +
      'Raise resources.limits.memory, or look for a leak.',
  },
  {
    alert: 'MusterMemoryHigh',
    when: 'the process uses 450 MB of 512 MiB',
    series: [series(PROCESS.residentMemory, {}, '450000000x20')],
    atMinute: 15,
  },
  {
    alert: 'MusterRecordingFails',
    when: 'one run could not be recorded, and no other has followed',
    series: [
      series(RECORDING.runs, { result: 'recorded' }, '0+10x5 50x20'),
      series(RECORDING.runs, { result: 'failed' }, '_x5 1x15'),
    ],
    atMinute: 10,
    labels: { pod: LEADER },
    message:
      `Pod ${LEADER} got an error of the file system and records no more reconcile runs until it is restarted; jobs are not affected. ` +
      'The log has the error: the volume may be full or read-only.',
  },
  {
    alert: 'MusterRecordingFails',
    when: 'runs are left out because recording would take too long',
    series: [series(RECORDING.runs, { result: 'left_out' }, '0+10x20')],
    atMinute: 15,
  },
];

const OF_JOBS: AlertCase[] = [
  {
    alert: 'MusterJobWaiting',
    when: 'a job has been unschedulable for an hour',
    series: [series(PER_JOB.waiting, { ...MNIST, reason: 'Unschedulable' }, '1x80')],
    atMinute: 65,
    labels: { ...MNIST_LABELS, reason: 'Unschedulable' },
    message: 'PyTorchJob team-a/mnist has been waiting with reason Unschedulable. "muster why" shows the cause and the next step.',
  },
  {
    alert: 'MusterJobWaiting',
    when: 'a job is suspended, and another waited for half an hour',
    series: [
      series(PER_JOB.waiting, { ...MNIST, reason: 'Suspended' }, '1x80'),
      series(PER_JOB.waiting, { ...MNIST, job_name: 'other', reason: 'Image' }, '1x30'),
    ],
    atMinute: 70,
  },
  {
    alert: 'MusterJobsFailing',
    when: 'all jobs of a namespace fail',
    series: [series(JOBS.failed, IN_TEAM, '0+1x90')],
    atMinute: 80,
    labels: { job_namespace: 'team-a' },
    message:
      '100% of the jobs in namespace team-a that ended within an hour have failed. ' +
      'The cause may be one that they share, such as an image, storage or a node. Compare their first failures.',
  },
  {
    alert: 'MusterJobsFailing',
    when: 'three of four fail',
    series: [series(JOBS.failed, IN_TEAM, '0+3x90'), series(JOBS.successful, IN_TEAM, '0+1x90')],
    atMinute: 80,
    labels: { job_namespace: 'team-a' },
    message:
      '75% of the jobs in namespace team-a that ended within an hour have failed. ' +
      'The cause may be one that they share, such as an image, storage or a node. Compare their first failures.',
  },
  {
    alert: 'MusterJobsFailing',
    when: 'one of four fails, and elsewhere two jobs have',
    series: [
      series(JOBS.failed, IN_TEAM, '0+1x90'),
      series(JOBS.successful, IN_TEAM, '0+3x90'),
      series(JOBS.failed, { ...IN_TEAM, job_namespace: 'team-b' }, '0x5 1x5 2x80'),
    ],
    atMinute: 60,
  },
  {
    alert: 'MusterJobsFailing',
    when: 'jobs fail, and the series of the namespace were removed and started again since the last failure long ago',
    series: [series(JOBS.failed, IN_TEAM, '9x60 _x10 0x5 0+1x60'), series(JOBS.successful, IN_TEAM, '9x60 _x10 0x65')],
    atMinute: 100,
    labels: { job_namespace: 'team-a' },
    message:
      '100% of the jobs in namespace team-a that ended within an hour have failed. ' +
      'The cause may be one that they share, such as an image, storage or a node. Compare their first failures.',
  },
  {
    alert: 'MusterJobsFailing',
    when: 'the series of a namespace where many had failed were removed and started again',
    series: [series(JOBS.failed, IN_TEAM, '9x60 _x10 0x60'), series(JOBS.successful, IN_TEAM, '0x60 _x10 0x60')],
    atMinute: 80,
  },
  {
    alert: 'MusterJobRestarting',
    when: 'a job is restarted every minute',
    series: [series(PER_JOB.restarts, MNIST, '2+1x40')],
    atMinute: 10,
    labels: MNIST_LABELS,
    message: 'PyTorchJob team-a/mnist was restarted 10 times within 30 minutes. "muster why" shows which pod fails, and its error.',
  },
  {
    alert: 'MusterJobRestarting',
    when: 'the operator was upgraded twice, and the job was restarted twice under each of its pods',
    series: [
      series(PER_JOB.restarts, MNIST, '10 10 11 11 12 _x40'),
      series(PER_JOB.restarts, MNIST, '_x5 12 12 13 13 14 _x40', { pod: STANDBY }),
      series(PER_JOB.restarts, MNIST, '_x11 14 14 15 15 16 16x20', { pod: 'rel-pytorch-elastic-7d9fb5c6b8-m5t8s' }),
    ],
    atMinute: 20,
    labels: MNIST_LABELS,
    message: 'PyTorchJob team-a/mnist was restarted 7 times within 30 minutes. "muster why" shows which pod fails, and its error.',
  },
  {
    alert: 'MusterJobRestarting',
    when: 'a job was created again under the name of one that was restarted often',
    series: [series(PER_JOB.restarts, MNIST, '20x10 0x5 1x20')],
    atMinute: 20,
  },
  {
    alert: 'MusterJobRestarting',
    when: 'a job that was created again under its name is restarted often',
    series: [series(PER_JOB.restarts, MNIST, '20x10 0 1 2 3 4 5 6x30')],
    atMinute: 25,
    labels: MNIST_LABELS,
    message: 'PyTorchJob team-a/mnist was restarted 6 times within 30 minutes. "muster why" shows which pod fails, and its error.',
  },
  {
    alert: 'MusterJobRestarting',
    when: 'it was restarted four times, after many in its life',
    series: [series(PER_JOB.restarts, MNIST, '20x10 21x5 22x5 23x5 24x20')],
    atMinute: 35,
  },
  {
    alert: 'MusterJobGoodputLow',
    when: 'a started job has lost most of its time for an hour',
    series: [series(PER_JOB.goodput, MNIST, '0.3x90'), series(PER_JOB.state, { ...MNIST, state: 'Restarting' }, '1x90')],
    atMinute: 70,
    labels: MNIST_LABELS,
    message: 'Only 30% of the time of PyTorchJob team-a/mnist was productive. "muster goodput" shows where the rest went.',
  },
  {
    alert: 'MusterJobGoodputLow',
    when: 'the job recovers within the hour',
    series: [series(PER_JOB.goodput, MNIST, '0.3x40 0.6x50'), series(PER_JOB.state, { ...MNIST, state: 'Running' }, '1x90')],
    atMinute: 70,
  },
  {
    alert: 'MusterJobGoodputLow',
    when: 'the job has ended',
    series: [series(PER_JOB.goodput, MNIST, '0.3x90'), series(PER_JOB.state, { ...MNIST, state: 'Failed' }, '1x90')],
    atMinute: 70,
  },
  {
    alert: 'MusterJobStalled',
    when: 'a job makes no progress',
    series: [series(PER_JOB.stalled, MNIST, '0x3 1x20')],
    atMinute: 6,
    labels: MNIST_LABELS,
    message:
      'PyTorchJob team-a/mnist runs, but has made no progress for its progressDeadlineSeconds. ' +
      '"muster why" shows which replica is behind.',
  },
  {
    alert: 'MusterJobStalled',
    when: 'it makes progress again',
    series: [series(PER_JOB.stalled, MNIST, '1x3 0x20')],
    atMinute: 6,
  },
  {
    alert: 'MusterJobProgressUnknown',
    when: 'no replica of a job reports its progress',
    series: [series(PER_JOB.progressUnknown, MNIST, '0x3 1x20'), series(PER_JOB.stalled, MNIST, '0x23')],
    atMinute: 10,
    labels: MNIST_LABELS,
    message:
      'No replica of PyTorchJob team-a/mnist has reported its progress for its progressDeadlineSeconds, so a hang is not detected. ' +
      'Check that the operator can reach the pods, and that the program responds.',
  },
  {
    alert: 'MusterJobProgressUnknown',
    when: 'a replica reports again after three minutes',
    series: [series(PER_JOB.progressUnknown, MNIST, '0x3 1x3 0x20')],
    atMinute: 10,
  },
  {
    alert: 'MusterJobProgressUnknown',
    when: 'replicas report that a job makes no progress',
    series: [series(PER_JOB.stalled, MNIST, '1x20'), series(PER_JOB.progressUnknown, MNIST, '0x20')],
    atMinute: 15,
  },
  {
    alert: 'MusterElasticBelowMinimum',
    when: 'a running job has its master and one of at least two workers',
    series: elasticJob({ ready: 1, state: 'Running' }),
    atMinute: 20,
    labels: MNIST_LABELS,
    message:
      'PyTorchJob team-a/mnist has 1 ready elastic pods, fewer than its minimum, and makes no progress. ' +
      'Check for unschedulable or failing workers.',
  },
  {
    alert: 'MusterElasticBelowMinimum',
    when: 'it has two',
    series: elasticJob({ ready: 2, state: 'Running' }),
    atMinute: 30,
  },
  {
    alert: 'MusterElasticBelowMinimum',
    when: 'it is suspended',
    series: elasticJob({ ready: 0, state: 'Suspended' }),
    atMinute: 30,
  },
];

function elasticJob({ ready, state }: { ready: number; state: string }): Series[] {
  return [
    series(PER_JOB.ready, { ...MNIST, role: 'Master' }, '1x40'),
    series(PER_JOB.ready, { ...MNIST, role: 'Worker' }, `${ready}x40`),
    series(PER_JOB.elasticMin, MNIST, '2x40'),
    ...['Running', 'Suspended'].map((each) => series(PER_JOB.state, { ...MNIST, state: each }, `${each === state ? 1 : 0}x40`)),
  ];
}

const RAY_LEADER = { pod: LEADER.replace('pytorch-elastic', 'ray') };
const NIGHTLY = { job_namespace: 'team-a', raycronjob: 'nightly' };
const MISSED_BY_NIGHTLY =
  'RayCronJob team-a/nightly has missed its last run, or its next RayJob is late. ' +
  '"muster why" shows the cause: an earlier RayJob that runs (concurrencyPolicy Forbid), a quota, an invalid change.';

/** Time begins at 0 here, so a time in seconds is 60 times its minute. */
const OF_CRON_JOBS: AlertCase[] = [
  {
    framework: 'ray',
    alert: 'MusterRayCronJobMissed',
    when: 'a RayJob is late by more than five minutes',
    series: [
      series(RAY_CRON.lastSchedule, NIGHTLY, '60x20', RAY_LEADER),
      series(RAY_CRON.nextSchedule, NIGHTLY, '120x20', RAY_LEADER),
    ],
    atMinute: 10,
    labels: NIGHTLY,
    message: MISSED_BY_NIGHTLY,
  },
  {
    framework: 'ray',
    alert: 'MusterRayCronJobMissed',
    when: 'the last run was missed',
    series: [
      series(RAY_CRON.lastSchedule, NIGHTLY, '60x20', RAY_LEADER),
      series(RAY_CRON.lastMissed, NIGHTLY, '120x20', RAY_LEADER),
      series(RAY_CRON.nextSchedule, NIGHTLY, '6000x20', RAY_LEADER),
    ],
    atMinute: 5,
    labels: NIGHTLY,
    message: MISSED_BY_NIGHTLY,
  },
  {
    framework: 'ray',
    alert: 'MusterRayCronJobMissed',
    when: 'the only run was missed',
    series: [series(RAY_CRON.lastMissed, NIGHTLY, '120x20', RAY_LEADER)],
    atMinute: 5,
    labels: NIGHTLY,
    message: MISSED_BY_NIGHTLY,
  },
  {
    framework: 'ray',
    alert: 'MusterRayCronJobMissed',
    when: 'a run was created after the missed one',
    series: [
      series(RAY_CRON.lastMissed, NIGHTLY, '60x20', RAY_LEADER),
      series(RAY_CRON.lastSchedule, NIGHTLY, '120x20', RAY_LEADER),
      series(RAY_CRON.nextSchedule, NIGHTLY, '6000x20', RAY_LEADER),
    ],
    atMinute: 10,
  },
];

const FRUIT = { job_namespace: 'team-a', rayservice: 'fruit' };

const OF_SERVICES: AlertCase[] = [
  {
    framework: 'ray',
    alert: 'MusterRayServiceNotReady',
    when: 'a RayService has no endpoints for 15 minutes',
    series: [series(RAY_SERVE.endpoints, FRUIT, '0x30', RAY_LEADER)],
    atMinute: 16,
    labels: FRUIT,
    message:
      'RayService team-a/fruit has had no pod that gets requests for 15 minutes. ' +
      '"muster why" shows the cause: a cluster that does not start, a refused config, an application that fails.',
  },
  {
    framework: 'ray',
    alert: 'MusterRayServiceNotReady',
    when: 'a RayService gets its first endpoint after ten minutes',
    series: [series(RAY_SERVE.endpoints, FRUIT, '0x9 1x20', RAY_LEADER)],
    atMinute: 20,
  },
  {
    framework: 'ray',
    alert: 'MusterRayServiceUpgradeSlow',
    when: 'an upgrade takes more than an hour',
    series: [series(RAY_SERVE.upgradeStart, FRUIT, '60x80', RAY_LEADER)],
    atMinute: 65,
    labels: FRUIT,
    message:
      'The upgrade of RayService team-a/fruit does not end, and the old cluster still gets ' +
      'requests. "muster why" shows what the new cluster waits for.',
  },
  {
    framework: 'ray',
    alert: 'MusterRayServiceUpgradeSlow',
    when: 'an upgrade has taken half an hour',
    series: [series(RAY_SERVE.upgradeStart, FRUIT, '60x80', RAY_LEADER)],
    atMinute: 30,
  },
];

export const ALERT_CASES: readonly AlertCase[] = [
  ...PRESENCE,
  ...RECONCILING,
  ...SURROUNDINGS,
  ...OF_JOBS,
  ...OF_CRON_JOBS,
  ...OF_SERVICES,
];
