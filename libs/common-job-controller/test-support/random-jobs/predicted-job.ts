/** Predicts the state from tables of the policies, Kubeflow's with docs/administrators/differences.md, without the engine. */
import type { CleanPodPolicy, JobShape, RestartPolicy } from './job-shape.ts';
import { PredictedConditions } from './predicted-conditions.ts';
import { countsLine, type Phase, type Standing } from './standing.ts';

export type Step =
  | { readonly does: 'create' | 'suspend' | 'resume' | 'reach the deadline' }
  | { readonly does: 'delete the job'; readonly propagationPolicy: 'Background' | 'Foreground' }
  | { readonly does: 'scale'; readonly workers: number }
  | { readonly does: 'fail'; readonly pod: string; readonly exitCode: number }
  | { readonly does: 'disrupt'; readonly pod: string; readonly by: 'eviction' | 'preemption' }
  | { readonly does: 'succeed' | 'delete' | 'restart in place'; readonly pod: string }
  | { readonly does: 'together'; readonly steps: readonly Step[] };

const IS_RETRIED: Record<RestartPolicy, (exitCode: number) => boolean> = {
  Always: () => true,
  OnFailure: () => true,
  Never: () => false,
  ExitCode: (exitCode) => exitCode >= 128,
};

const IS_LEFT: Record<CleanPodPolicy, { running: boolean; ended: boolean; services: boolean }> = {
  unset: { running: true, ended: true, services: true },
  None: { running: true, ended: true, services: true },
  Running: { running: false, ended: true, services: false },
  All: { running: false, ended: false, services: false },
};

interface PredictedPod {
  readonly name: string;
  created: number;
  phase: Phase | undefined;
  /** Succeeded, even if the pod is gone. */
  isDone: boolean;
  /** Failures and disruptions, each of which lengthens the back-off. */
  failures: number;
}

export class PredictedJob {
  readonly shape: JobShape;
  #workers: number;
  #pods = new Map<string, PredictedPod>();
  #state: string | undefined;
  #end: 'by itself' | 'by a limit' | 'invalid' | undefined;
  #isGone = false;
  #restarts = 0;
  #disruptions = 0;
  #conditions = new PredictedConditions();
  #lastCounts: Record<string, string> | undefined;

  constructor(shape: JobShape) {
    this.shape = shape;
    this.#workers = shape.workers;
  }

  get hasEnded(): boolean {
    return this.#end !== undefined || this.#isGone;
  }

  get workers(): number {
    return this.#workers;
  }

  get replicas(): readonly PredictedPod[] {
    const { name, hasMaster } = this.shape;
    const workers = Array.from({ length: this.#workers }, (_each, index) => `${name}-worker-${index}`);
    return [...(hasMaster ? [`${name}-master-0`] : []), ...workers].map((pod) => this.#pod(pod));
  }

  get running(): readonly PredictedPod[] {
    return this.replicas.filter(({ phase }) => phase === 'Running');
  }

  /** The replicas that decide: the master, or else the workers, of which one is enough in an elastic job. */
  get deciding(): readonly PredictedPod[] {
    return this.shape.hasMaster ? this.replicas.slice(0, 1) : this.replicas;
  }

  isRetried(exitCode: number): boolean {
    return IS_RETRIED[this.shape.restartPolicy](exitCode);
  }

  get isAtLimit(): boolean {
    const { backoffLimit } = this.shape;
    return backoffLimit !== undefined && this.#restarts >= backoffLimit;
  }

  apply(step: Step): void {
    if (this.#isForeign() && step.does !== 'delete the job') return;
    switch (step.does) {
      case 'create':
        return this.#created();
      case 'suspend':
        return this.#suspended();
      case 'resume':
        return this.#run();
      case 'reach the deadline':
        return this.#ends('Failed', 'by a limit');
      case 'delete the job':
        this.#isGone = true;
        return;
      case 'scale':
        return this.#scaled(step.workers);
      case 'together':
        return step.steps.forEach((each) => this.apply(each));
      default:
        return this.#podEvent(this.#pod(step.pod), step);
    }
  }

  standing(): Standing {
    const { ttlSeconds } = this.shape;
    const isGone = this.#isGone || (this.#end !== undefined && ttlSeconds !== undefined);
    const all = [...this.#pods.values()];
    const there = isGone ? [] : all.filter(({ phase }) => phase !== undefined);
    return {
      isGone,
      state: this.#state,
      ready: this.#ready(),
      conditions: this.#conditions.lines,
      counts: this.#lastCounts ?? this.#counts(),
      restarts: this.#restarts,
      disruptions: this.#disruptions,
      pods: record(there.map(({ name, phase = 'Running' }) => [name, phase])),
      created: record(all.filter(({ created }) => created > 0).map(({ name, created }) => [name, created])),
      services: isGone ? [] : this.#services(),
    };
  }

  #pod(name: string): PredictedPod {
    const known = this.#pods.get(name);
    if (known !== undefined) return known;
    const pod: PredictedPod = { name, created: 0, phase: undefined, isDone: false, failures: 0 };
    this.#pods.set(name, pod);
    return pod;
  }

  #isForeign(): boolean {
    const { managedBy } = this.shape;
    return managedBy !== undefined && managedBy !== 'kubeflow.org/training-operator';
  }

  #created(): void {
    this.#conditions.created();
    if (this.shape.isRefused) {
      this.#conditions.ended('Failed', 'InvalidSpec');
      this.#state = 'Failed';
      this.#end = 'invalid';
    } else if (this.shape.isBornSuspended) this.#suspended();
    else this.#run();
  }

  #run(): void {
    this.#state = 'Running';
    this.#conditions.running();
    for (const pod of this.replicas) if (pod.phase === undefined && !pod.isDone) this.#made(pod);
  }

  #made(pod: PredictedPod): void {
    pod.created += 1;
    pod.phase = 'Running';
  }

  #suspended(): void {
    this.#state = 'Suspended';
    this.#conditions.suspended();
    for (const pod of this.#pods.values()) Object.assign(pod, { phase: undefined, isDone: false, failures: 0 });
  }

  #scaled(workers: number): void {
    const kept = workers + (this.shape.hasMaster ? 1 : 0);
    for (const pod of this.replicas.slice(kept)) pod.phase = undefined;
    this.#workers = workers;
    this.#run();
  }

  #podEvent(pod: PredictedPod, step: Extract<Step, { pod: string }>): void {
    switch (step.does) {
      case 'fail':
        return this.#failed(pod, step.exitCode);
      case 'disrupt':
        this.#disruptions += 1;
        pod.failures += 1;
        return this.#made(pod);
      case 'delete':
        if (pod.isDone) pod.phase = undefined;
        else this.#made(pod);
        return;
      case 'restart in place': {
        const isTooMuch = this.isAtLimit;
        this.#restarts += 1;
        return isTooMuch ? this.#ends('Failed', 'by a limit') : undefined;
      }
      case 'succeed':
        pod.phase = 'Succeeded';
        pod.isDone = true;
        return this.#haveDecided() ? this.#ends('Succeeded', 'by itself') : undefined;
    }
  }

  #failed(pod: PredictedPod, exitCode: number): void {
    const isRetried = this.isRetried(exitCode);
    if (!isRetried || this.isAtLimit) {
      pod.phase = 'Failed';
      return this.#ends('Failed', isRetried ? 'by a limit' : 'by itself');
    }
    this.#restarts += 1;
    pod.failures += 1;
    this.#made(pod);
  }

  #haveDecided(): boolean {
    const done = this.deciding.filter(({ isDone }) => isDone).length;
    return done >= (this.shape.isElastic ? 1 : this.deciding.length);
  }

  #ends(state: 'Succeeded' | 'Failed', end: 'by itself' | 'by a limit'): void {
    this.#state = state;
    this.#end = end;
    this.#conditions.ended(state, `PyTorchJob${state}`);
    this.#lastCounts = this.#counts();
    const left = IS_LEFT[this.shape.cleanPodPolicy];
    for (const pod of this.replicas) {
      const isLeft = pod.phase === 'Running' ? left.running && end !== 'by a limit' : left.ended;
      if (!isLeft) pod.phase = undefined;
    }
  }

  /** When the job succeeds, running replicas count as succeeded. When it fails, stopped ones are no longer active. */
  #counts(): Record<string, string> {
    if (this.#state === undefined) return {};
    const { hasMaster, cleanPodPolicy } = this.shape;
    const areStopped = this.#state === 'Failed' && (this.#end === 'by a limit' || !IS_LEFT[cleanPodPolicy].running);
    const countsOf = (pods: readonly PredictedPod[]): string => {
      const done = pods.filter(({ isDone }) => isDone).length;
      const running = pods.filter(({ phase }) => phase === 'Running').length;
      const failed = pods.filter(({ phase }) => phase === 'Failed').length;
      if (this.#state === 'Succeeded') return countsLine({ succeeded: done + running, failed });
      return countsLine({ active: areStopped ? 0 : running, succeeded: done, failed });
    };
    const all = this.replicas;
    const workers = all.slice(hasMaster ? 1 : 0);
    return {
      ...(hasMaster && { Master: countsOf(all.slice(0, 1)) }),
      ...(workers.length > 0 && { Worker: countsOf(workers) }),
    };
  }

  /** Replicas stopped by a success count as ready, those stopped by a failure do not. */
  #ready(): string | undefined {
    if (this.#state === undefined || this.#end === 'invalid') return undefined;
    const all = this.replicas;
    const ready = all.filter(({ phase, isDone }) => phase === 'Running' || isDone).length;
    const isDone = this.#state === 'Succeeded';
    return `${isDone ? all.length : this.#state === 'Suspended' ? 0 : ready}/${all.length}`;
  }

  #services(): string[] {
    const { name, hasMaster, isPerReplica, cleanPodPolicy } = this.shape;
    const hasEnded = this.#end === 'by itself' || this.#end === 'by a limit';
    if (this.#state === undefined || this.#state === 'Suspended') return [];
    if (hasEnded && !IS_LEFT[cleanPodPolicy].services) return [];
    if (isPerReplica) return this.replicas.map((pod) => pod.name).sort();
    return [name, hasMaster ? `${name}-master-0` : `${name}-worker-0`];
  }
}

function record<T>(entries: readonly (readonly [string, T])[]): Record<string, T> {
  return Object.fromEntries([...entries].sort(([a], [b]) => (a < b ? -1 : 1)));
}
