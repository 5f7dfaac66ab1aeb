/** Alerts about the operator itself: whether it is there, leads, gets on, and reaches the API server. */
import { BUILD, ELECTION, PROCESS, REQUESTS, RUNTIME, WATCHES, WORK_QUEUE } from '@muster/metrics';
import { JOB_QUEUES } from '../job-queues.ts';
import { matching, notMatching } from '../promql/matchers.ts';
import { absent, increase, observationRate, overTime, quantile, rate, valueOf } from '../promql/metric-query.ts';
import { MEMORY_THRESHOLD, OF_RELEASE, THRESHOLD, type Alert } from './alert.ts';

const OF_QUEUES = { ...OF_RELEASE, ...JOB_QUEUES };

const PERCENT = '{{ $value | humanizePercentage }}';
const DURATION = '{{ $value | humanizeDuration }}';

/** @param title of the framework, as its users write it @param kinds of its jobs */
export function operatorAlerts(title: string, kinds: readonly string[]): readonly Alert[] {
  return [...presence(title, kinds), ...reconciling(title), ...surroundings(title)];
}

function presence(title: string, kinds: readonly string[]): Alert[] {
  const masters = valueOf(ELECTION.masterStatus, OF_RELEASE);
  return [
    {
      name: 'MusterOperatorDown',
      expression: absent(BUILD.info, OF_RELEASE),
      for: '5m',
      severity: 'critical',
      summary: `No operator for ${title} can be scraped.`,
      description:
        'No pod of the release answers to Prometheus. Pods that run go on, but no job is started, restarted or ended, unless ' +
        'only the scraping has stopped.',
    },
    {
      name: 'MusterNoLeader',
      expression: masters.maxBy('cluster', 'name').is(0),
      for: '5m',
      severity: 'critical',
      summary: `No operator for ${title} leads.`,
      description:
        'Operators of the release run, but none of them holds the Lease {{ $labels.name }}, so none acts. Unless another operator runs the ' +
        'same jobs, no job is started, restarted or ended.',
    },
    {
      name: 'MusterSeveralLeaders',
      expression: severalLeaders(kinds),
      for: '2m',
      severity: 'critical',
      summary: `Several operators for ${title} lead.`,
      description:
        '{{ $value }} processes run the {{ $labels.kind }}s of the namespace {{ $labels.watched_namespace }} (* is every namespace). ' +
        'They may undo what the other does.',
    },
  ];
}

/**
 * Kinds and namespaces whose jobs several processes run, of whatever release in whatever namespace, one of them of this release. A process for
 * all namespaces counts for each single one.
 */
function severalLeaders(kinds: readonly string[]) {
  const ofKinds = { kind: matching(kinds.join('|')) };
  const ofAll = { ...ofKinds, watched_namespace: '*' };
  const byScope = valueOf(ELECTION.leads, ofKinds).sumBy('cluster', 'kind', 'watched_namespace');
  const ofSome = valueOf(ELECTION.leads, { ...ofKinds, watched_namespace: notMatching('[*]') })
    .sumBy('cluster', 'kind', 'watched_namespace')
    .plusOf(['cluster', 'kind'], valueOf(ELECTION.leads, ofAll).sumBy('cluster', 'kind'));
  const several = ofSome.or(byScope).above(1);
  const own = valueOf(ELECTION.leads, { ...ofKinds, ...OF_RELEASE }).sumBy('cluster', 'kind', 'watched_namespace');
  const ownOfAll = valueOf(ELECTION.leads, { ...ofAll, ...OF_RELEASE }).sumBy('cluster', 'kind');
  return several.and(own.above(0)).or(several.andOf(['cluster', 'kind'], ownOfAll.above(0)));
}

function reconciling(title: string): Alert[] {
  const worked = observationRate(WORK_QUEUE.worked, OF_QUEUES, '10m').sumBy('cluster', 'controller');
  return [
    {
      name: 'MusterReconcileErrors',
      expression: rate(RUNTIME.errors, OF_RELEASE, '10m')
        .sumBy('cluster', 'controller')
        .per(rate(RUNTIME.reconciles, OF_RELEASE, '10m').sumBy('cluster', 'controller'))
        .above(THRESHOLD),
      for: '15m',
      severity: 'warning',
      threshold: { value: 0.1, meaning: 'Share of passes that may end with an error.' },
      summary: `The operator for ${title} fails at many of its passes.`,
      description: `${PERCENT} of the passes of {{ $labels.controller }} end with an error. They are tried again, but jobs are late.`,
    },
    {
      name: 'MusterReconcileDefects',
      expression: increase(RUNTIME.panics, OF_RELEASE, '15m').sumBy('cluster', 'controller').above(0),
      for: '0s',
      severity: 'warning',
      summary: `The operator for ${title} has met a defect.`,
      description:
        'Passes of {{ $labels.controller }} have failed by a defect of the operator within 15 minutes. The jobs concerned stay ' +
        'as they are.',
    },
    {
      name: 'MusterReconcileSlow',
      expression: quantile(0.99, RUNTIME.time, OF_RELEASE, { span: '10m', by: ['cluster', 'controller'] }).above(
        THRESHOLD,
      ),
      for: '15m',
      severity: 'warning',
      threshold: { value: 30, meaning: 'Seconds that all but one of a hundred passes may take.' },
      summary: `Passes of the operator for ${title} take long.`,
      description: `One of a hundred passes of {{ $labels.controller }} takes longer than ${DURATION}.`,
    },
    {
      name: 'MusterReconcileHangs',
      expression: valueOf(WORK_QUEUE.longestRunning, OF_QUEUES).maxBy('cluster', 'controller').above(THRESHOLD),
      for: '5m',
      severity: 'warning',
      threshold: { value: 300, meaning: 'Seconds that a single pass may take.' },
      summary: `A pass of the operator for ${title} does not end.`,
      description: `A pass of {{ $labels.controller }} has been running for ${DURATION}. Its job is not looked after meanwhile.`,
    },
    {
      name: 'MusterQueueStuck',
      expression: overTime('min', WORK_QUEUE.depth, OF_QUEUES, '10m')
        .maxBy('cluster', 'controller')
        .above(0)
        .unless(worked.above(0)),
      for: '5m',
      severity: 'critical',
      summary: `The operator for ${title} has work and does none.`,
      description:
        '{{ $value }} jobs or more wait in the queue {{ $labels.controller }}, and no pass has ended for 10 minutes.',
    },
  ];
}

function surroundings(title: string): Alert[] {
  const requests = rate(REQUESTS.total, OF_RELEASE, '10m').sumBy('cluster');
  const failing = rate(REQUESTS.total, { ...OF_RELEASE, code: matching('5..|429|<error>') }, '10m').sumBy('cluster');
  return [
    {
      name: 'MusterWatchRestarts',
      expression: increase(WATCHES.restarts, OF_RELEASE, '15m').sumBy('cluster', 'resource').above(THRESHOLD),
      for: '5m',
      severity: 'warning',
      threshold: { value: 10, meaning: 'Times that a watch may be begun again within 15 minutes.' },
      summary: `The operator for ${title} cannot keep a watch.`,
      description:
        'The watch of {{ $labels.resource }} was begun again {{ $value | humanize }} times within 15 minutes. The operator sees ' +
        'changes late.',
    },
    {
      name: 'MusterApiServerErrors',
      expression: failing.per(requests).above(THRESHOLD),
      for: '10m',
      severity: 'warning',
      threshold: { value: 0.05, meaning: 'Share of requests that may fail.' },
      summary: `The API server fails the operator for ${title}.`,
      description: `${PERCENT} of the requests to the API server end with 5xx, with 429 or without an answer.`,
    },
    {
      name: 'MusterEventLoopBlocked',
      expression: valueOf(PROCESS.eventLoopLagP99, OF_RELEASE).maxBy('cluster', 'pod').above(THRESHOLD),
      for: '5m',
      severity: 'warning',
      threshold: { value: 0.5, meaning: 'Seconds for which the process may do nothing else.' },
      summary: `The operator for ${title} is short of CPU.`,
      description: `The process in {{ $labels.pod }} does nothing else for ${DURATION} or more at a time. It may lose its Lease, or fail its probes.`,
    },
    {
      name: 'MusterMemoryHigh',
      expression: valueOf(PROCESS.residentMemory, OF_RELEASE).maxBy('cluster', 'pod').above(MEMORY_THRESHOLD),
      for: '10m',
      severity: 'warning',
      threshold: { value: 0.9, meaning: 'Share of the limit of memory (resources.limits.memory) that may be used.' },
      needs: 'memoryLimit',
      summary: `The operator for ${title} is about to run out of memory.`,
      description:
        'The process in {{ $labels.pod }} takes {{ $value | humanize1024 }}B, close to the limit of its container.',
    },
  ];
}
