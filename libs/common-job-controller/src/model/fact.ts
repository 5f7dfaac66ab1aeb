/**
 * Status from outside the API server: a dashboard, or the progress that a program reports. It is polled beside the reconcile runs, so an
 * address that does not answer blocks no run. Planning reads the last answer and its age.
 */

/** A port of a Service. An operator outside the cluster reaches it through the API server's proxy. */
export interface ServiceUrl {
  readonly namespace: string;
  readonly service: string;
  readonly port: number;
  /** Path and query; starts with a slash. */
  readonly path: string;
}

/** A port of a pod. An operator outside the cluster reaches it through the API server's proxy. */
export interface PodUrl {
  readonly namespace: string;
  readonly pod: string;
  /** The pod's IP address. */
  readonly address: string;
  readonly port: number;
  /** Path and query; starts with a slash. */
  readonly path: string;
}

/** A key of a Secret. It is read when the request is sent, and never appears in a plan. */
export interface SecretToken {
  /** The header that carries the value as a bearer token. */
  readonly header: string;
  readonly namespace: string;
  readonly secret: string;
  readonly key: string;
}

/** An HTTP request whose answer planning needs. */
export interface Question {
  /** The key of the answer in `Facts`. */
  readonly name: string;
  readonly url: string | ServiceUrl | PodUrl;
  readonly token?: SecretToken;
  /** Default: GET. */
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Sent as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** Limit of the body in bytes. A longer body counts as no answer. Default: 1 MiB. */
  readonly largestBody?: number;
  /** After how long the request is repeated. */
  readonly everyMs: number;
}

/** The last known answer to a probe. */
export interface Fact {
  /** Undefined until the first answer. */
  readonly answer?: Answer;
  /** Why the newest attempt got no answer. Undefined if it got one. */
  readonly problem?: string;
  /** Number of attempts without an answer since the last answer. */
  readonly failures: number;
  /** Time since `answer` arrived, in milliseconds. Undefined without an answer. */
  readonly ageMs?: number;
  /** Time since the newest attempt ended, in milliseconds. */
  readonly triedMs?: number;
  /** For how long all attempts have been answered, in milliseconds. Undefined if the newest was not. */
  readonly answeringMs?: number;
  /** Time since the first attempt, in milliseconds. */
  readonly askedForMs?: number;
}

export interface Answer {
  /** The HTTP status. Error statuses (404, 403) are answers, too. */
  readonly status: number;
  /** The body: parsed as JSON, or its text if it is no JSON. */
  readonly body: unknown;
}

/** By the probe's name. A new probe has no entry yet. */
export type Facts = ReadonlyMap<string, Fact>;
