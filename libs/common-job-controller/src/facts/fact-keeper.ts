/**
 * Keeps what was asked of the outside, job by job. Passes read what is there and leave at once; questions that are due are
 * asked beside them, so many at a time over all jobs, and the job is looked at again when an answer has come or has not. An
 * operator that starts anew, or takes over, knows nothing and asks again.
 */
import type { Clock } from '@muster/controller';
import { Semaphore } from './semaphore.ts';
import type { Answer, Fact, Facts, Question } from '../model/fact.ts';

/** Rejects when no answer came. */
export type Ask = (question: Question, signal: AbortSignal) => Promise<Answer>;

interface Kept {
  readonly question: Question;
  /** Whether it was said by a plan: it is kept though it is no question of the job. */
  readonly isCall: boolean;
  fact: Omit<Fact, 'ageMs'> | undefined;
  /** When the first try began, by the monotonic clock. */
  askedSinceMs: number | undefined;
  /** When the newest try ended, and when `fact.answer` came, by the monotonic clock. */
  triedMs: number | undefined;
  answeredMs: number | undefined;
  /** When the first answer of an unbroken row of answers came. */
  answeringSinceMs: number | undefined;
  asking: AbortController | undefined;
}

interface KeeperOptions {
  readonly ask: Ask;
  readonly clock: Clock;
  /** Questions under way at once. */
  readonly parallel: Semaphore;
  /** The job is to be looked at: something is known that was not. */
  readonly changed: (job: string) => void;
}

/** Of the questions under way at once, how many one job may have: a silent job of a thousand pods leaves room for the others. */
const PARALLEL_OF_A_JOB = 16;

interface JobFacts {
  readonly owner: string;
  readonly kept: Map<string, Kept>;
  readonly parallel: Semaphore;
}

export class FactKeeper {
  #jobs = new Map<string, JobFacts>();
  #options: KeeperOptions;

  constructor(options: KeeperOptions) {
    this.#options = options;
  }

  /** @param owner UID of the job: another job of the same name starts afresh */
  recall(job: string, owner: string): Facts {
    const now = this.#options.clock.monotonic();
    const facts = new Map<string, Fact>();
    for (const [name, { fact, answeredMs, triedMs, answeringSinceMs, askedSinceMs }] of this.#of(job, owner).kept) {
      if (fact === undefined) continue;
      facts.set(name, {
        ...fact,
        ...(answeredMs !== undefined && { ageMs: now - answeredMs }),
        ...(triedMs !== undefined && { triedMs: now - triedMs }),
        ...(answeringSinceMs !== undefined && { answeringMs: now - answeringSinceMs }),
        ...(askedSinceMs !== undefined && { askedForMs: now - askedSinceMs }),
      });
    }
    return facts;
  }

  /**
   * Sees to it that all of `questions` are answered, and forgets the others. Returns in how many milliseconds the next one is due;
   * undefined when there is none.
   *
   * @param calls what the plan says to the outside: a call that got no answer is due again only as long as it is planned
   */
  refresh(
    job: string,
    owner: string,
    questions: readonly Question[],
    calls: readonly Question[] = [],
  ): number | undefined {
    const facts = this.#of(job, owner);
    const { kept } = facts;
    const asked = new Set(questions.map(({ name }) => name));
    for (const [name, { asking, isCall }] of kept) {
      if (isCall || asked.has(name)) continue;
      asking?.abort();
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

  /**
   * Says something to the outside and waits for the answer, which is a fact of the job from then on. What got no answer is said
   * again no sooner than after `everyMs`. Never rejects: why there is none is in the fact.
   */
  async call(job: string, owner: string, question: Question): Promise<void> {
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

  /** Also ends the questions of the job that are under way. */
  forget(job: string): void {
    for (const { asking } of this.#jobs.get(job)?.kept.values() ?? []) asking?.abort();
    this.#jobs.delete(job);
  }

  /** Nothing is asked any more until the next `refresh`. */
  stop(): void {
    for (const job of [...this.#jobs.keys()]) this.forget(job);
  }

  #of(job: string, owner: string): JobFacts {
    const known = this.#jobs.get(job);
    if (known?.owner === owner) return known;
    this.forget(job);
    const facts = { owner, kept: new Map<string, Kept>(), parallel: new Semaphore(PARALLEL_OF_A_JOB) };
    this.#jobs.set(job, facts);
    return facts;
  }

  /** Returns in how many milliseconds it is due again. */
  #refreshOne(job: string, facts: JobFacts, question: Question): number {
    const { kept } = facts;
    const before = kept.get(question.name);
    const isOther = before !== undefined && JSON.stringify(before.question) !== JSON.stringify(question);
    if (isOther) before.asking?.abort();
    const current = before === undefined || isOther ? newQuestion(question, false) : before;
    kept.set(question.name, current);
    const age = current.triedMs === undefined ? Infinity : this.#sinceMs(current.triedMs);
    if (current.asking !== undefined) return question.everyMs;
    if (age < question.everyMs) return question.everyMs - age;
    void this.#ask(job, facts, current);
    return question.everyMs;
  }

  async #ask(job: string, facts: JobFacts, kept: Kept): Promise<void> {
    const { ask, clock, parallel, changed } = this.#options;
    const asking = new AbortController();
    kept.asking = asking;
    kept.askedSinceMs ??= clock.monotonic();
    try {
      const one = () => parallel.run(asking.signal, () => ask(kept.question, asking.signal));
      const answer = await facts.parallel.run(asking.signal, one);
      if (asking.signal.aborted) return;
      kept.answeredMs = clock.monotonic();
      kept.answeringSinceMs ??= kept.answeredMs;
      kept.fact = { answer, failures: 0 };
    } catch (error) {
      if (asking.signal.aborted) return;
      const { answer, failures = 0 } = kept.fact ?? {};
      kept.answeringSinceMs = undefined;
      const problem = error instanceof Error ? error.message : String(error);
      kept.fact = { ...(answer && { answer }), problem, failures: failures + 1 };
    } finally {
      if (kept.asking === asking) kept.asking = undefined;
    }
    kept.triedMs = clock.monotonic();
    changed(job);
  }
}

const NEVER = {
  askedSinceMs: undefined,
  triedMs: undefined,
  answeredMs: undefined,
  answeringSinceMs: undefined,
} as const;

function newQuestion(question: Question, isCall: boolean): Kept {
  return { question, isCall, fact: undefined, ...NEVER, asking: undefined };
}
