/** The same seed gives the same job. */
import type { JobShape } from './job-shape.ts';
import { PredictedJob, type Step } from './predicted-job.ts';
import type { SeededRandom } from '@muster/fault-injection';
import type { Standing } from './standing.ts';

export interface RandomJob {
  readonly shape: JobShape;
  readonly acts: readonly Act[];
}

export interface Act {
  readonly step: Step;
  /** Undefined if the next step does not wait for this one. */
  readonly after: Standing | undefined;
  /** The job may end before all expected objects exist. */
  readonly isCutShort?: boolean;
}

const EXIT_CODES = [1, 3, 127, 128, 137, 143, 255] as const;

export function randomJob(random: SeededRandom, name: string): RandomJob {
  if (random.isOneIn(20)) return doomedJob(random, name);
  const shape = randomShape(random, name);
  const job = new PredictedJob(shape);
  const acts: Act[] = [];
  const act = (step: Step): void => {
    job.apply(step);
    acts.push({ step, after: job.standing() });
  };
  act({ does: 'create' });
  if (shape.isBornSuspended && !job.hasEnded) act({ does: 'resume' });
  for (let left = random.whole(0, 4); left > 0 && job.running.length > 0 && !job.hasEnded; left--) {
    for (const step of randomSteps(random, job)) act(step);
  }
  if (job.running.length > 0 && !job.hasEnded) lastSteps(random, job).forEach(act);
  return { shape, acts };
}

/** Ended by its deadline or user at an arbitrary time. */
function doomedJob(random: SeededRandom, name: string): RandomJob {
  const isLate = random.isOneIn(2);
  const deadlineSeconds = isLate ? random.whole(1, 5) : undefined;
  const drawn = randomShape(random, name);
  const shape = { ...drawn, deadlineSeconds, isBornSuspended: false, isRefused: false, managedBy: undefined };
  const job = new PredictedJob(shape);
  const step: Step = isLate ? { does: 'reach the deadline' } : deletion(random);
  for (const each of [{ does: 'create' } as const, step]) job.apply(each);
  return {
    shape,
    acts: [
      { step: { does: 'create' }, after: undefined },
      { step, after: job.standing(), isCutShort: true },
    ],
  };
}

function randomShape(random: SeededRandom, name: string): JobShape {
  const hasMaster = random.isOneIn(2);
  const workers = random.whole(hasMaster ? 0 : 1, 3);
  const isBornSuspended = random.isOneIn(12);
  return {
    name,
    hasMaster,
    workers,
    isElastic: workers > 0 && random.isOneIn(3),
    restartPolicy: random.pick(['Always', 'OnFailure', 'OnFailure', 'Never', 'ExitCode', 'ExitCode']),
    cleanPodPolicy: random.pick(['unset', 'None', 'Running', 'All']),
    backoffLimit: random.isOneIn(2) ? random.whole(0, 2) : undefined,
    ttlSeconds: random.isOneIn(5) ? random.whole(0, 2) : undefined,
    deadlineSeconds: random.isOneIn(5) ? 3600 : undefined,
    isBornSuspended,
    isPerReplica: random.isOneIn(4),
    isSlowToGo: random.isOneIn(3),
    managedBy: random.isOneIn(25)
      ? random.pick(['kueue.x-k8s.io/multikueue', 'kubeflow.org/training-operator'])
      : undefined,
    // Pods of a suspended job are not created, so they cannot be rejected.
    isRefused: !isBornSuspended && random.isOneIn(30),
  };
}

function deletion(random: SeededRandom): Step {
  return { does: 'delete the job', propagationPolicy: random.pick(['Background', 'Foreground']) };
}

function randomSteps(random: SeededRandom, job: PredictedJob): Step[] {
  const running = job.running.map(({ name }) => name);
  const pod = running[random.whole(0, running.length - 1)] ?? '';
  switch (random.whole(0, 9)) {
    case 0:
      return [{ does: 'suspend' }, { does: 'resume' }];
    case 1:
      return scaling(random, job);
    case 2:
    case 3:
      return together(random, job);
    case 4:
      return deletionOfDone(random, job);
    case 5:
      return isSpare(job, pod) ? [{ does: 'succeed', pod }] : [];
    default:
      return accident(random, job, pod);
  }
}

function accident(random: SeededRandom, job: PredictedJob, pod: string): Step[] {
  const { restartPolicy } = job.shape;
  const exitCode = random.pick(EXIT_CODES);
  switch (random.whole(0, 5)) {
    case 0:
      return mayWait(job, pod) ? [{ does: 'disrupt', pod, by: random.pick(['eviction', 'preemption']) }] : [];
    case 1:
      return [{ does: 'delete', pod }];
    case 2:
      return restartPolicy === 'Always' || restartPolicy === 'OnFailure' ? [{ does: 'restart in place', pod }] : [];
    default:
      return mayFail(job, pod, exitCode) ? [{ does: 'fail', pod, exitCode }] : [];
  }
}

function mayFail(job: PredictedJob, pod: string, exitCode: number): boolean {
  return !job.isRetried(exitCode) || job.isAtLimit || mayWait(job, pod);
}

/** The second failure in a row delays the restart by 10 seconds, once per job; the third would by 20. */
function mayWait(job: PredictedJob, pod: string): boolean {
  const hasWaited = job.replicas.some(({ failures }) => failures > 1);
  const { failures = 0 } = job.replicas.find(({ name }) => name === pod) ?? {};
  return failures < (hasWaited ? 1 : 2);
}

/** Accidents at the same time that do not end the job, or their order would matter. */
function together(random: SeededRandom, job: PredictedJob): Step[] {
  const isSafe = (step: Step) =>
    job.shape.backoffLimit === undefined ? step.does !== 'fail' || job.isRetried(step.exitCode) : isNoRestart(step);
  const steps = job.running.flatMap(({ name }) => accident(random, job, name).filter(isSafe));
  return steps.length > 1 ? [{ does: 'together', steps }] : [];
}

function isNoRestart({ does }: Step): boolean {
  return does === 'disrupt' || does === 'delete';
}

/** Scales only jobs without succeeded replicas, because these are recorded by index. */
function scaling(random: SeededRandom, job: PredictedJob): Step[] {
  const workers = random.whole(1, 4);
  const canBe = job.shape.workers > 0 && workers !== job.workers && job.running.length === job.replicas.length;
  return canBe ? [{ does: 'scale', workers }] : [];
}

function deletionOfDone(random: SeededRandom, job: PredictedJob): Step[] {
  const done = job.replicas.filter(({ phase }) => phase === 'Succeeded');
  const pod = done[random.whole(0, done.length - 1)]?.name;
  return pod === undefined ? [] : [{ does: 'delete', pod }];
}

function isSpare(job: PredictedJob, pod: string): boolean {
  const deciding = job.deciding.filter(({ isDone }) => !isDone);
  if (!deciding.some(({ name }) => name === pod)) return true;
  return !job.shape.isElastic && deciding.length > 1;
}

function lastSteps(random: SeededRandom, job: PredictedJob): Step[] {
  switch (random.whole(0, 9)) {
    case 0:
      return [{ does: 'suspend' }];
    case 1:
      return [deletion(random)];
    case 2:
      return [];
    default:
      return success(job);
  }
}

function success(job: PredictedJob): Step[] {
  const { hasMaster, isElastic } = job.shape;
  const steps = job.deciding
    .filter(({ phase }) => phase === 'Running')
    .map(({ name: pod }): Step => ({ does: 'succeed', pod }));
  return hasMaster || isElastic ? steps.slice(0, 1) : [{ does: 'together', steps }];
}
