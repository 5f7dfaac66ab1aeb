import type { ApiStatus } from '@muster/job-api';

/** The reasons that callers tell apart. A server may send others. */
export type KubeErrorReason =
  | 'AlreadyExists'
  | 'BadRequest'
  | 'Conflict'
  | 'Expired'
  | 'Forbidden'
  | 'Gone'
  | 'InternalError'
  | 'Invalid'
  | 'NotFound'
  | 'ServerTimeout'
  | 'ServiceUnavailable'
  | 'TooManyRequests'
  | 'Unauthorized'
  /** No answer: the connection failed, was cut or timed out. */
  | 'Unreachable'
  | (string & {});

/** A request to the API server that failed. `message` is the server's own, with what was asked in front. */
export class KubeError extends Error {
  override readonly name = 'KubeError';
  /** HTTP status; 0 when there was no answer. */
  readonly code: number;
  readonly reason: KubeErrorReason;
  /** The server's answer, if it was a Status object. */
  readonly status: ApiStatus | undefined;
  /** Seconds that the server asked to wait. */
  readonly retryAfterSeconds: number | undefined;

  constructor(
    message: string,
    details: { code: number; reason: KubeErrorReason; status?: ApiStatus; retryAfterSeconds?: number; cause?: unknown },
  ) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = details.code;
    this.reason = details.reason;
    this.status = details.status;
    this.retryAfterSeconds = details.retryAfterSeconds;
  }
}

/** Whether `error` is the API server's answer with this reason. */
export function isKubeError(error: unknown, ...reasons: KubeErrorReason[]): error is KubeError {
  return error instanceof KubeError && (reasons.length === 0 || reasons.includes(error.reason));
}
