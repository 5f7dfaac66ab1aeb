/**
 * What only something outside of the API server can say: a dashboard, a program's own progress. It is asked beside the passes
 * over a job, never in one, so that an address which does not answer holds nobody up; planning sees the last answer and its
 * age.
 */

/** A port of a Service in the cluster, and what is asked there. An operator outside the cluster reaches it through the API server. */
export interface ServiceUrl {
  readonly namespace: string;
  readonly service: string;
  readonly port: number;
  /** With the query; it begins with a slash. */
  readonly path: string;
}

/** A port of a pod, and what is asked there. An operator outside the cluster reaches it through the API server. */
export interface PodUrl {
  readonly namespace: string;
  readonly pod: string;
  /** The pod's address. */
  readonly address: string;
  readonly port: number;
  /** With the query; it begins with a slash. */
  readonly path: string;
}

/** A key of a Secret, which is read when the question is asked and is in no plan. */
export interface SecretToken {
  /** The header that carries it, as a bearer token. */
  readonly header: string;
  readonly namespace: string;
  readonly secret: string;
  readonly key: string;
}

/** An HTTP request whose answer planning needs. */
export interface Question {
  /** What the answer is found by among the facts of the job. */
  readonly name: string;
  readonly url: string | ServiceUrl | PodUrl;
  readonly token?: SecretToken;
  /** Default: GET. */
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Sent as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** How long an answer may take. */
  readonly timeoutMs: number;
  /** What of an answer is read, in bytes; a longer one is none. Default: 1 MiB. */
  readonly largestBody?: number;
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
  /** How long ago the newest try ended. */
  readonly triedMs?: number;
  /** For how long every try has been answered; undefined where the newest was not. */
  readonly answeringMs?: number;
  /** How long ago the question was asked for the first time. */
  readonly askedForMs?: number;
}

export interface Answer {
  /** Of HTTP: a refusal (404, 403) is an answer, too. */
  readonly status: number;
  /** What the body says as JSON; its text where it is none. */
  readonly body: unknown;
}

/** By the question's name; of one that was asked for the first time there is nothing yet. */
export type Facts = ReadonlyMap<string, Fact>;
