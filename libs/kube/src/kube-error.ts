import type { ApiStatus } from '@muster/job-api';

/** Reasons that callers distinguish. A server may send others. */
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

/** A failed request. `message` is the request, then the server's message. */
export class KubeError extends Error {
  override readonly name = 'KubeError';
  /** HTTP status; 0 without an answer. */
  readonly code: number;
  readonly reason: KubeErrorReason;
  readonly status: ApiStatus | undefined;
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

/** True for a `KubeError` with one of the reasons, or with any if none is given. */
export function isKubeError(error: unknown, ...reasons: KubeErrorReason[]): error is KubeError {
  return error instanceof KubeError && (reasons.length === 0 || reasons.includes(error.reason));
}
