/** Alerts about the operator itself: it runs, leads, reconciles, and reaches the API server. */
import { BUILD, ELECTION, PROCESS, RECORDING, REQUESTS, RUNTIME, WATCHES, WORK_QUEUE } from '@muster/metrics';
import { JOB_QUEUES } from '../job-queues.ts';
import { matching, notMatching } from '../promql/matchers.ts';
import {
  absent,
  increase,
  observationRate,
  overTime,
  quantile,
  rate,
  sinceStart,
  valueOf,
} from '../promql/metric-query.ts';
import { MEMORY_THRESHOLD, RELEASE_MATCHERS, THRESHOLD, type Alert } from './alert.ts';

const OF_QUEUES = { ...RELEASE_MATCHERS, ...JOB_QUEUES };

const PERCENT = '{{ $value | humanizePercentage }}';
const DURATION = '{{ $value | humanizeDuration }}';

export function operatorAlerts(title: string, kinds: readonly string[]): readonly Alert[] {
  return [
    ...presence(title, kinds),
    ...reconciling(title),
    ...progress(title),
    ...surroundings(title),
    ...resources(title),
  ];
}

function presence(title: string, kinds: readonly string[]): Alert[] {
  const masters = valueOf(ELECTION.masterStatus, RELEASE_MATCHERS);
  return [
    {
      name: 'MusterOperatorDown',
      expression: absent(BUILD.info, RELEASE_MATCHERS),
      for: '5m',
      severity: 'critical',
      summary: `Prometheus gets no metrics from the operator for ${title}.`,
      description:
        'No pod of the release can be scraped. If the operator is down, running pods continue, but no job is started, restarted or ended. ' +
        'Check the pods of the release; if they are ready, check why Prometheus does not reach them.',
    },
    {
      name: 'MusterNoLeader',
      expression: masters.maxBy('cluster', 'name').is(0),
      for: '5m',
      severity: 'critical',
      summary: `No pod of the operator for ${title} is the leader.`,
      description:
        'Pods of the release run, but none holds the Lease {{ $labels.name }}. Unless another release runs the same jobs, no job is started, ' +
        'restarted or ended. Check the holder of the Lease, and the log for errors about it.',
    },
    {
      name: 'MusterSeveralLeaders',
      expression: severalLeaders(kinds),
      for: '2m',
      severity: 'critical',
      summary: `Several operators for ${title} run the same jobs.`,
      description:
        '{{ $value }} processes reconcile the {{ $labels.kind }}s in namespace {{ $labels.watched_namespace }} (* means all namespaces). ' +
        "They may undo each other's changes. Look for a second release, or one without leader election.",
    },
  ];
}

/**
 * Kinds and namespaces whose jobs several processes reconcile, at least one of them of this release. The others may belong to any release in
 * any namespace. A process that watches all namespaces counts for each single namespace.
 */
function severalLeaders(kinds: readonly string[]) {
  const ofKinds = { kind: matching(kinds.join('|')) };
  const ofAll = { ...ofKinds, watched_namespace: '*' };
  const byScope = valueOf(ELECTION.leads, ofKinds).sumBy('cluster', 'kind', 'watched_namespace');
  const ofSome = valueOf(ELECTION.leads, { ...ofKinds, watched_namespace: notMatching('[*]') })
    .sumBy('cluster', 'kind', 'watched_namespace')
    .plusOf(['cluster', 'kind'], valueOf(ELECTION.leads, ofAll).sumBy('cluster', 'kind'));
  const several = ofSome.or(byScope).above(1);
  const own = valueOf(ELECTION.leads, { ...ofKinds, ...RELEASE_MATCHERS }).sumBy(
    'cluster',
    'kind',
    'watched_namespace',
  );
  const ownOfAll = valueOf(ELECTION.leads, { ...ofAll, ...RELEASE_MATCHERS }).sumBy('cluster', 'kind');
  return several.and(own.above(0)).or(several.andOf(['cluster', 'kind'], ownOfAll.above(0)));
}

function reconciling(title: string): Alert[] {
  return [
    {
      name: 'MusterReconcileErrors',
      expression: rate(RUNTIME.errors, RELEASE_MATCHERS, '10m')
        .sumBy('cluster', 'controller')
        .per(rate(RUNTIME.reconciles, RELEASE_MATCHERS, '10m').sumBy('cluster', 'controller'))
        .above(THRESHOLD),
      for: '15m',
      severity: 'warning',
      threshold: { value: 0.1, meaning: 'Share of reconcile runs that may fail, from 0 to 1.', isShare: true },
      summary: `Many reconcile runs of the operator for ${title} fail.`,
      description:
        `${PERCENT} of the reconcile runs of controller {{ $labels.controller }} end with an error. They are retried, so jobs are late. ` +
        'The log has each error, with the name of its job.',
    },
    {
      name: 'MusterReconcileDefects',
      expression: increase(RUNTIME.panics, RELEASE_MATCHERS, '15m').sumBy('cluster', 'controller').above(0),
      for: '0s',
      severity: 'warning',
      summary: `The operator for ${title} cannot plan a job.`,
      description:
        'Reconcile runs of controller {{ $labels.controller }} that failed with a defect within 15 minutes: {{ $value | printf "%.0f" }}. ' +
        'The affected jobs are left unchanged. The log has the stack trace.',
    },
    {
      name: 'MusterReconcileSlow',
      expression: quantile(0.99, RUNTIME.time, RELEASE_MATCHERS, { span: '10m', by: ['cluster', 'controller'] }).above(
        THRESHOLD,
      ),
      for: '15m',
      severity: 'warning',
      threshold: { value: 30, meaning: 'Limit of the 99th percentile of reconcile durations, in seconds.' },
      summary: `Reconcile runs of the operator for ${title} are slow.`,
      description:
        `One in a hundred reconcile runs of controller {{ $labels.controller }} takes longer than ${DURATION}. ` +
        'The API server is slow, or the jobs are large. Check the duration of requests.',
    },
  ];
}

function progress(title: string): Alert[] {
  const worked = observationRate(WORK_QUEUE.worked, OF_QUEUES, '10m').sumBy('cluster', 'controller');
  return [
    {
      name: 'MusterReconcileHangs',
      expression: valueOf(WORK_QUEUE.longestRunning, OF_QUEUES).maxBy('cluster', 'controller').above(THRESHOLD),
      for: '5m',
      severity: 'warning',
      threshold: { value: 300, meaning: 'Limit of the duration of a single reconcile run, in seconds.' },
      summary: `A reconcile run of the operator for ${title} does not end.`,
      description:
        `A reconcile run of controller {{ $labels.controller }} has lasted for ${DURATION}. Its job is not reconciled until it ends. ` +
        'Check for a very large job, or an API server that does not respond.',
    },
    {
      name: 'MusterQueueStuck',
      expression: overTime('min', WORK_QUEUE.depth, OF_QUEUES, '10m')
        .maxBy('cluster', 'controller')
        .above(0)
        .unless(worked.above(0)),
      for: '5m',
      severity: 'critical',
      summary: `The operator for ${title} reconciles none of its queued jobs.`,
      description:
        'At least {{ $value }} jobs wait in queue {{ $labels.controller }}, and no reconcile run has ended for 10 minutes. ' +
        'Check whether requests to the API server hang; otherwise restart the operator.',
    },
  ];
}

function surroundings(title: string): Alert[] {
  const requests = rate(REQUESTS.total, RELEASE_MATCHERS, '10m').sumBy('cluster');
  const failing = rate(REQUESTS.total, { ...RELEASE_MATCHERS, code: matching('5..|429|<error>') }, '10m').sumBy(
    'cluster',
  );
  return [
    {
      name: 'MusterWatchRestarts',
      expression: increase(WATCHES.restarts, RELEASE_MATCHERS, '15m').sumBy('cluster', 'resource').above(THRESHOLD),
      for: '5m',
      severity: 'warning',
      threshold: { value: 10, meaning: 'Restarts of a watch that are allowed within 15 minutes.' },
      summary: `The operator for ${title} restarts a watch repeatedly.`,
      description:
        'The watch of {{ $labels.resource }} was restarted {{ $value | humanize }} times within 15 minutes, so the operator sees changes late. ' +
        'Check the connection to the API server, and whether the resource is served.',
    },
    {
      name: 'MusterApiServerErrors',
      expression: failing.per(requests).above(THRESHOLD),
      for: '10m',
      severity: 'warning',
      threshold: { value: 0.05, meaning: 'Share of requests that may fail, from 0 to 1.', isShare: true },
      summary: `Many requests of the operator for ${title} to the API server fail.`,
      description:
        `${PERCENT} of the requests to the API server end with 5xx, with 429 or without a response. ` +
        'The API server is overloaded, down or not reachable. Check the requests by code.',
    },
  ];
}

/** What the process uses: the processor, memory, and the volume of its records. */
function resources(title: string): Alert[] {
  return [
    {
      name: 'MusterEventLoopBlocked',
      expression: valueOf(PROCESS.eventLoopLagP99, RELEASE_MATCHERS).maxBy('cluster', 'pod').above(THRESHOLD),
      for: '5m',
      severity: 'warning',
      threshold: { value: 0.5, meaning: 'Seconds for which the event loop may be blocked.' },
      summary: `The event loop of the operator for ${title} is blocked.`,
      description:
        `The event loop of pod {{ $labels.pod }} is blocked for ${DURATION} or more at a time. The pod may lose its Lease or fail its probes. ` +
        'Check for a CPU limit, a full node, or too many jobs.',
    },
    {
      name: 'MusterMemoryHigh',
      expression: valueOf(PROCESS.residentMemory, RELEASE_MATCHERS).maxBy('cluster', 'pod').above(MEMORY_THRESHOLD),
      for: '10m',
      severity: 'warning',
      threshold: {
        value: 0.9,
        meaning: 'Share of the memory limit (resources.limits.memory) that may be used, from 0 to 1.',
        isShare: true,
      },
      needs: 'memoryLimit',
      summary: `The operator for ${title} is close to its memory limit.`,
      description:
        'The process in pod {{ $labels.pod }} uses {{ $value | humanize1024 }}B, close to the memory limit of its container. ' +
        'Raise resources.limits.memory, or look for a leak.',
    },
    {
      name: 'MusterRecordingFails',
      // The first failure of a quiet operator may be the last one, and a rate excludes the first value of a series.
      expression: sinceStart(RECORDING.runs, { ...RELEASE_MATCHERS, result: 'failed' })
        .sumBy('cluster', 'pod')
        .above(0),
      for: '1m',
      severity: 'warning',
      summary: `The operator for ${title} cannot write its records.`,
      description:
        'Pod {{ $labels.pod }} got an error of the file system and records no more reconcile runs until it is restarted; jobs are not affected. ' +
        'The log has the error: the volume may be full or read-only.',
    },
  ];
}
