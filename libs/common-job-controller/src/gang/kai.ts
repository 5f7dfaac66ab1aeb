/**
 * KAI's pod grouper creates a group for each job whose pods have KAI's schedulerName, and reads the number of pods from the kinds it knows.
 * So Muster only sets queue and priority, and reports where KAI counts differently.
 */
import { LABELS } from '@muster/job-api';
import type { TrainingJob } from '../model/training-job.ts';
import { isStartDelayed } from '../model/start-order.ts';
import type { GangScheduler, GangRules } from '../contract/gang-scheduler.ts';
import { gangSize, leastOf, sum } from './gang-size.ts';
import { withMarks } from './marks.ts';

const NAME = 'kai-scheduler';
const QUEUE = 'kai.scheduler/queue';
const PRIORITY_CLASS = 'priorityClassName';
/** Kinds for which KAI reads `spec.runPolicy.schedulingPolicy.minAvailable`, or else counts the replicas. */
const COUNTED_KINDS: readonly string[] = ['PyTorchJob', 'TFJob', 'MPIJob', 'XGBoostJob', 'JAXJob'];
const RAY_KINDS: readonly string[] = ['RayCluster', 'RayJob'];

export const KAI: GangScheduler = {
  name: NAME,
  schedulerName: NAME,
  reads: ['minAvailable', 'queue', 'priorityClass'],
  decorate(pod, job) {
    const { queue, priorityClass } = job.runPolicy.schedulingPolicy ?? {};
    const ofQueue = queue || job.metadata.labels?.[QUEUE];
    return withMarks(pod, {
      schedulerName: NAME,
      labels: {
        [LABELS.gangScheduler]: NAME,
        ...(ofQueue && { [QUEUE]: ofQueue }),
        ...(priorityClass && { [PRIORITY_CLASS]: priorityClass }),
      },
    });
  },
  shortcoming(job, rules) {
    const { kind } = job.resource;
    if (RAY_KINDS.includes(kind)) return undefined;
    return COUNTED_KINDS.includes(kind)
      ? otherCount(job, rules)
      : `KAI does not support ${kind}s: it places each pod as soon as there is capacity, not all together. Select another gang scheduler`;
  },
};

function otherCount(job: TrainingJob, rules: GangRules): string | undefined {
  const { minMember } = gangSize(rules, job);
  const waitsFor = countOf(job, rules, minMember);
  const made = sum(job.roles.filter((role) => !isStartDelayed(job, role)).map(({ replicas }) => replicas));
  const advice = `set spec.runPolicy.schedulingPolicy.minAvailable to ${minMember}`;
  if (waitsFor > made)
    return `KAI waits for ${waitsFor} pods, of which only ${made} are created before others run, so none is placed: ${advice}`;
  return waitsFor > minMember
    ? `KAI waits for ${waitsFor} pods, although the job can run with ${minMember}: ${advice}`
    : undefined;
}

/** For a PyTorchJob KAI also reads the elastic minimum. It excludes a launcher that waits for its workers. */
function countOf(job: TrainingJob, rules: GangRules, least: number): number {
  const { minAvailable } = job.runPolicy.schedulingPolicy ?? {};
  const counted = job.roles.filter((role) => isStartDelayed(job, role) || leastOf(rules, job, role) > 0);
  const readsLeast = job.resource.kind === 'PyTorchJob' && !counted.some((role) => isStartDelayed(job, role));
  return minAvailable ?? (readsLeast ? least : sum(counted.map(({ replicas }) => replicas)));
}
