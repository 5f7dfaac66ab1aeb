/**
 * What only something outside of the API server can say: a dashboard, a program's own progress. It is asked beside the passes
 * over a job, never in one, so that an address which does not answer holds nobody up; planning sees the last answer and its
 * age.
 */

/** An HTTP request whose answer planning needs. */
export interface Question {
  /** What the answer is found by among the facts of the job. */
  readonly name: string;
  readonly url: string;
  /** Default: GET. */
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Sent as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** How long an answer may take. */
  readonly timeoutMs: number;
  /** How old an answer may be before it is asked for again. */
  readonly everyMs: number;
}

/** The last that is known of a question. */
export interface Fact {
  /** Undefined while nothing has ever been answered. */
  readonly answer?: Answer;
  /** Why the newest try got no answer; undefined when it did. */
  readonly problem?: string;
  /** How often in a row no answer came. */
  readonly failures: number;
  /** How long ago `answer` came, in milliseconds; undefined without one. */
  readonly ageMs?: number;
}

export interface Answer {
  /** Of HTTP: a refusal (404, 403) is an answer, too. */
  readonly status: number;
  /** What the body says as JSON; its text where it is none. */
  readonly body: unknown;
}

/** By the question's name; of one that was asked for the first time there is nothing yet. */
export type Facts = ReadonlyMap<string, Fact>;
