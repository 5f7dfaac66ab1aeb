/** Status from outside the API server, polled beside the reconcile runs, so that a silent address blocks none. */

/** A port of a Service. An operator outside the cluster reaches it through the API server's proxy. */
export interface ServiceUrl {
  readonly namespace: string;
  readonly service: string;
  readonly port: number;
  readonly path: string;
}

export interface PodUrl {
  readonly namespace: string;
  readonly pod: string;
  readonly address: string;
  readonly port: number;
  readonly path: string;
}

/** A key of a Secret. It is read when the request is sent, and never appears in a plan. */
export interface SecretToken {
  readonly header: string;
  readonly namespace: string;
  readonly secret: string;
  readonly key: string;
}

export interface Probe {
  /** The key of the answer in `Facts`. */
  readonly name: string;
  readonly url: string | ServiceUrl | PodUrl;
  readonly token?: SecretToken;
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** Limit of the body in bytes. A longer body counts as no answer. Default: 1 MiB. */
  readonly largestBody?: number;
  readonly everyMs: number;
  /** As a call: whether the reconcile run does not wait for the answer, which triggers another run. Default: it waits. */
  readonly isSlow?: boolean;
}

export interface ProbeResult {
  /** Undefined until the first answer. */
  readonly answer?: Answer;
  /** Undefined if the newest attempt was answered. */
  readonly problem?: string;
  /** Number of attempts without an answer since the last answer. */
  readonly failures: number;
  /** Undefined without an answer. */
  readonly ageMs?: number;
  readonly triedMs?: number;
  /** For how long all attempts have been answered, in milliseconds. Undefined if the newest was not. */
  readonly answeringMs?: number;
  readonly askedForMs?: number;
}

export interface Answer {
  /** The HTTP status. Error statuses (404, 403) are answers, too. */
  readonly status: number;
  /** Parsed JSON, or text if it is none. */
  readonly body: unknown;
}

/** By the probe's name. A new probe has no entry yet. */
export type ProbeResults = ReadonlyMap<string, ProbeResult>;
