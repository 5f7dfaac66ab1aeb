/**
 * Polls external status per job, with a limit over all jobs. Reconcile runs read the last answers without waiting; each answer or failure
 * reconciles the job. After a start or a change of leader, all requests are sent again.
 */
import { Semaphore, type Clock } from '@muster/controller';
import type { Answer, ProbeResult, ProbeResults, Probe } from './probe.ts';

/** Rejects if no answer arrives. */
export type SendProbe = (probe: Probe, signal: AbortSignal) => Promise<Answer>;

interface Polled {
  readonly probe: Probe;
  /** Whether a plan made the request: it is kept although the job does not poll it. */
  readonly isCall: boolean;
  result: Omit<ProbeResult, 'ageMs'> | undefined;
  firstTriedMs: number | undefined;
  triedMs: number | undefined;
  answeredMs: number | undefined;
  answeringSinceMs: number | undefined;
  inFlight: AbortController | undefined;
}

interface PollerOptions {
  readonly send: SendProbe;
  readonly clock: Clock;
  readonly parallel: Semaphore;
  /** Called when a result changes: the job is reconciled. */
  readonly changed: (job: string) => void;
}

/** Limit of requests in flight per job: a job of a thousand pods that do not answer must not block others. */
const MOST_PARALLEL_PER_JOB = 16;

interface JobProbes {
  readonly owner: string;
  readonly polled: Map<string, Polled>;
  readonly parallel: Semaphore;
}

export class ProbePoller {
  #jobs = new Map<string, JobProbes>();
  #options: PollerOptions;

  constructor(options: PollerOptions) {
    this.#options = options;
  }

  /** @param owner UID of the job. A new job of the same name starts without results. */
  resultsOf(job: string, owner: string): ProbeResults {
    const now = this.#options.clock.monotonic();
    const results = new Map<string, ProbeResult>();
    for (const [name, { result, answeredMs, triedMs, answeringSinceMs, firstTriedMs }] of this.#of(job, owner).polled) {
      if (result === undefined) continue;
      results.set(name, {
        ...result,
        ...(answeredMs !== undefined && { ageMs: now - answeredMs }),
        ...(triedMs !== undefined && { triedMs: now - triedMs }),
        ...(answeringSinceMs !== undefined && { answeringMs: now - answeringSinceMs }),
        ...(firstTriedMs !== undefined && { askedForMs: now - firstTriedMs }),
      });
    }
    return results;
  }

  /**
   * Returns in how many milliseconds the next request is due.
   *
   * @param calls requests of the plan: one without an answer is due again only as long as it is planned
   */
  poll(job: string, owner: string, probes: readonly Probe[], calls: readonly Probe[] = []): number | undefined {
    const ofJob = this.#of(job, owner);
    const { polled } = ofJob;
    const polledNames = new Set(probes.map(({ name }) => name));
    for (const [name, { inFlight, isCall }] of polled) {
      if (isCall || polledNames.has(name)) continue;
      inFlight?.abort();
      polled.delete(name);
    }
    const dues = probes.map((probe) => this.#pollOne(job, ofJob, probe));
    for (const { name, everyMs } of calls) {
      const { result, triedMs } = polled.get(name) ?? {};
      if (result?.problem !== undefined && triedMs !== undefined)
        dues.push(Math.max(0, everyMs - this.#sinceMs(triedMs)));
    }
    return dues.length === 0 ? undefined : Math.min(...dues);
  }

  /** Sends a request. A request without an answer is repeated after `everyMs` at the earliest. Never rejects: the result has the error. */
  async call(job: string, owner: string, probe: Probe): Promise<void> {
    const ofJob = this.#of(job, owner);
    const { polled } = ofJob;
    const current = polled.get(probe.name) ?? newPolled(probe, true);
    polled.set(probe.name, current);
    const { triedMs, inFlight } = current;
    if (inFlight !== undefined) return;
    if (triedMs !== undefined && this.#sinceMs(triedMs) < probe.everyMs) return;
    await this.#send(job, ofJob, current);
  }

  #sinceMs(momentMs: number): number {
    return this.#options.clock.monotonic() - momentMs;
  }

  /** Also aborts the job's requests in flight. */
  forget(job: string): void {
    for (const { inFlight } of this.#jobs.get(job)?.polled.values() ?? []) inFlight?.abort();
    this.#jobs.delete(job);
  }

  /** Sends nothing until the next `poll`. */
  stop(): void {
    for (const job of [...this.#jobs.keys()]) this.forget(job);
  }

  #of(job: string, owner: string): JobProbes {
    const known = this.#jobs.get(job);
    if (known?.owner === owner) return known;
    this.forget(job);
    const ofJob = { owner, polled: new Map<string, Polled>(), parallel: new Semaphore(MOST_PARALLEL_PER_JOB) };
    this.#jobs.set(job, ofJob);
    return ofJob;
  }

  #pollOne(job: string, ofJob: JobProbes, probe: Probe): number {
    const { polled } = ofJob;
    const before = polled.get(probe.name);
    const isOther = before !== undefined && JSON.stringify(before.probe) !== JSON.stringify(probe);
    if (isOther) before.inFlight?.abort();
    const current = before === undefined || isOther ? newPolled(probe, false) : before;
    polled.set(probe.name, current);
    const age = current.triedMs === undefined ? Infinity : this.#sinceMs(current.triedMs);
    if (current.inFlight !== undefined) return probe.everyMs;
    if (age < probe.everyMs) return probe.everyMs - age;
    void this.#send(job, ofJob, current);
    return probe.everyMs;
  }

  async #send(job: string, ofJob: JobProbes, polled: Polled): Promise<void> {
    const { send, clock, parallel, changed } = this.#options;
    const inFlight = new AbortController();
    polled.inFlight = inFlight;
    polled.firstTriedMs ??= clock.monotonic();
    try {
      const one = () => parallel.run(inFlight.signal, () => send(polled.probe, inFlight.signal));
      const answer = await ofJob.parallel.run(inFlight.signal, one);
      if (inFlight.signal.aborted) return;
      polled.answeredMs = clock.monotonic();
      polled.answeringSinceMs ??= polled.answeredMs;
      polled.result = { answer, failures: 0 };
    } catch (error) {
      if (inFlight.signal.aborted) return;
      const { answer, failures = 0 } = polled.result ?? {};
      polled.answeringSinceMs = undefined;
      const problem = error instanceof Error ? error.message : String(error);
      polled.result = { ...(answer && { answer }), problem, failures: failures + 1 };
    } finally {
      if (polled.inFlight === inFlight) polled.inFlight = undefined;
    }
    polled.triedMs = clock.monotonic();
    changed(job);
  }
}

const NEVER = {
  firstTriedMs: undefined,
  triedMs: undefined,
  answeredMs: undefined,
  answeringSinceMs: undefined,
} as const;

function newPolled(probe: Probe, isCall: boolean): Polled {
  return { probe, isCall, result: undefined, ...NEVER, inFlight: undefined };
}
