/**
 * Polls external status per job, with a limit over all jobs. Reconcile runs read the last answers without waiting; each answer or failure
 * reconciles the job. After a start or a change of leader, all requests are sent again.
 */
import { Semaphore, type Clock } from '@muster/controller';
import type { Answer, ProbeResult, ProbeResults, Probe } from './probe.ts';

/** Rejects if no answer arrives. */
export type SendProbe = (question: Probe, signal: AbortSignal) => Promise<Answer>;

interface Kept {
  readonly question: Probe;
  /** Whether a plan made the request: it is kept although the job does not poll it. */
  readonly isCall: boolean;
  fact: Omit<ProbeResult, 'ageMs'> | undefined;
  firstTriedMs: number | undefined;
  triedMs: number | undefined;
  answeredMs: number | undefined;
  answeringSinceMs: number | undefined;
  inFlight: AbortController | undefined;
}

interface KeeperOptions {
  readonly ask: SendProbe;
  readonly clock: Clock;
  readonly parallel: Semaphore;
  /** Called when a fact changes: the job is reconciled. */
  readonly changed: (job: string) => void;
}

/** Limit of requests in flight per job: a job of a thousand pods that do not answer must not block others. */
const MOST_PARALLEL_PER_JOB = 16;

interface JobFacts {
  readonly owner: string;
  readonly kept: Map<string, Kept>;
  readonly parallel: Semaphore;
}

export class ProbePoller {
  #jobs = new Map<string, JobFacts>();
  #options: KeeperOptions;

  constructor(options: KeeperOptions) {
    this.#options = options;
  }

  /** @param owner UID of the job. A new job of the same name starts without facts. */
  recall(job: string, owner: string): ProbeResults {
    const now = this.#options.clock.monotonic();
    const facts = new Map<string, ProbeResult>();
    for (const [name, { fact, answeredMs, triedMs, answeringSinceMs, firstTriedMs }] of this.#of(job, owner).kept) {
      if (fact === undefined) continue;
      facts.set(name, {
        ...fact,
        ...(answeredMs !== undefined && { ageMs: now - answeredMs }),
        ...(triedMs !== undefined && { triedMs: now - triedMs }),
        ...(answeringSinceMs !== undefined && { answeringMs: now - answeringSinceMs }),
        ...(firstTriedMs !== undefined && { askedForMs: now - firstTriedMs }),
      });
    }
    return facts;
  }

  /**
   * Returns in how many milliseconds the next request is due.
   *
   * @param calls requests of the plan: one without an answer is due again only as long as it is planned
   */
  refresh(job: string, owner: string, questions: readonly Probe[], calls: readonly Probe[] = []): number | undefined {
    const facts = this.#of(job, owner);
    const { kept } = facts;
    const polledNames = new Set(questions.map(({ name }) => name));
    for (const [name, { inFlight, isCall }] of kept) {
      if (isCall || polledNames.has(name)) continue;
      inFlight?.abort();
      kept.delete(name);
    }
    const dues = questions.map((question) => this.#refreshOne(job, facts, question));
    for (const { name, everyMs } of calls) {
      const { fact, triedMs } = kept.get(name) ?? {};
      if (fact?.problem !== undefined && triedMs !== undefined)
        dues.push(Math.max(0, everyMs - this.#sinceMs(triedMs)));
    }
    return dues.length === 0 ? undefined : Math.min(...dues);
  }

  /** Sends a request. A request without an answer is repeated after `everyMs` at the earliest. Never rejects: the fact has the error. */
  async call(job: string, owner: string, question: Probe): Promise<void> {
    const facts = this.#of(job, owner);
    const { kept } = facts;
    const current = kept.get(question.name) ?? newQuestion(question, true);
    kept.set(question.name, current);
    const { triedMs } = current;
    if (triedMs !== undefined && this.#sinceMs(triedMs) < question.everyMs) return;
    await this.#ask(job, facts, current);
  }

  #sinceMs(momentMs: number): number {
    return this.#options.clock.monotonic() - momentMs;
  }

  /** Also aborts the job's requests in flight. */
  forget(job: string): void {
    for (const { inFlight } of this.#jobs.get(job)?.kept.values() ?? []) inFlight?.abort();
    this.#jobs.delete(job);
  }

  /** Sends nothing until the next `refresh`. */
  stop(): void {
    for (const job of [...this.#jobs.keys()]) this.forget(job);
  }

  #of(job: string, owner: string): JobFacts {
    const known = this.#jobs.get(job);
    if (known?.owner === owner) return known;
    this.forget(job);
    const facts = { owner, kept: new Map<string, Kept>(), parallel: new Semaphore(MOST_PARALLEL_PER_JOB) };
    this.#jobs.set(job, facts);
    return facts;
  }

  #refreshOne(job: string, facts: JobFacts, question: Probe): number {
    const { kept } = facts;
    const before = kept.get(question.name);
    const isOther = before !== undefined && JSON.stringify(before.question) !== JSON.stringify(question);
    if (isOther) before.inFlight?.abort();
    const current = before === undefined || isOther ? newQuestion(question, false) : before;
    kept.set(question.name, current);
    const age = current.triedMs === undefined ? Infinity : this.#sinceMs(current.triedMs);
    if (current.inFlight !== undefined) return question.everyMs;
    if (age < question.everyMs) return question.everyMs - age;
    void this.#ask(job, facts, current);
    return question.everyMs;
  }

  async #ask(job: string, facts: JobFacts, kept: Kept): Promise<void> {
    const { ask, clock, parallel, changed } = this.#options;
    const inFlight = new AbortController();
    kept.inFlight = inFlight;
    kept.firstTriedMs ??= clock.monotonic();
    try {
      const one = () => parallel.run(inFlight.signal, () => ask(kept.question, inFlight.signal));
      const answer = await facts.parallel.run(inFlight.signal, one);
      if (inFlight.signal.aborted) return;
      kept.answeredMs = clock.monotonic();
      kept.answeringSinceMs ??= kept.answeredMs;
      kept.fact = { answer, failures: 0 };
    } catch (error) {
      if (inFlight.signal.aborted) return;
      const { answer, failures = 0 } = kept.fact ?? {};
      kept.answeringSinceMs = undefined;
      const problem = error instanceof Error ? error.message : String(error);
      kept.fact = { ...(answer && { answer }), problem, failures: failures + 1 };
    } finally {
      if (kept.inFlight === inFlight) kept.inFlight = undefined;
    }
    kept.triedMs = clock.monotonic();
    changed(job);
  }
}

const NEVER = {
  firstTriedMs: undefined,
  triedMs: undefined,
  answeredMs: undefined,
  answeringSinceMs: undefined,
} as const;

function newQuestion(question: Probe, isCall: boolean): Kept {
  return { question, isCall, fact: undefined, ...NEVER, inFlight: undefined };
}
