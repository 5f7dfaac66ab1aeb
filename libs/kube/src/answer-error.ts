import type { ApiStatus } from '@muster/job-api';
import { CredentialError } from './credential-error.ts';
import type { ResponseHead } from './exchange.ts';
import { KubeError, type KubeErrorReason } from './kube-error.ts';
import { parseRetryAfter } from './retry.ts';

/** For answers without a Status object: from proxies, or for unknown paths. */
const REASON_BY_CODE: Partial<Record<number, KubeErrorReason>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  409: 'Conflict',
  410: 'Gone',
  422: 'Invalid',
  429: 'TooManyRequests',
  503: 'ServiceUnavailable',
  504: 'ServerTimeout',
};

const LONGEST_QUOTE = 300;

export function answerError(title: string, head: ResponseHead, text: string): KubeError {
  const status = parseStatus(text);
  const retryAfterSeconds = retryAfterOf(head) ?? status?.details?.retryAfterSeconds;
  return new KubeError(`${title}: ${status?.message ?? describeAnswer(head.code, text)}`, {
    code: head.code,
    reason: status?.reason || REASON_BY_CODE[head.code] || 'InternalError',
    ...(status === undefined ? {} : { status }),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  });
}

/** For an error event of a watch, whose HTTP status was 200. */
export function statusError(title: string, status: ApiStatus): KubeError {
  return new KubeError(`${title}: ${status.message ?? 'the server ended the watch with an error'}`, {
    code: status.code ?? 500,
    reason: status.reason || 'InternalError',
    status,
  });
}

export function connectionError(title: string, server: string, cause: unknown): KubeError {
  if (cause instanceof CredentialError) {
    return new KubeError(`${title}: ${cause.message}`, { code: 0, reason: 'Unauthorized', cause });
  }
  return new KubeError(`${title}: no answer from ${server}: ${describeCause(cause)}`, {
    code: 0,
    reason: 'Unreachable',
    cause,
  });
}

export function retryAfterOf(head: ResponseHead): number | undefined {
  const header = head.headers['retry-after'];
  return parseRetryAfter(typeof header === 'string' ? header : undefined);
}

/** The code of a system error, of undici, or of an AggregateError (a name with several addresses). */
export function errorCodeOf(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : undefined;
}

function describeCause(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  if (cause instanceof SyntaxError) return 'the answer is not JSON: check that this is the address of an API server';
  // Node leaves the message empty when it tried several addresses.
  return cause.message || errorCodeOf(cause) || cause.name;
}

function describeAnswer(code: number, text: string): string {
  if (code === 404) return 'the server does not serve this resource; install its CRD, or check the API version';
  const quote = text.trim().slice(0, LONGEST_QUOTE);
  return quote === '' ? `status ${code} without a message` : `status ${code}: ${quote}`;
}

function parseStatus(text: string): ApiStatus | undefined {
  if (!text.startsWith('{')) return undefined;
  try {
    const parsed = JSON.parse(text) as ApiStatus;
    return parsed.kind === 'Status' ? parsed : undefined;
  } catch (error) {
    // Not JSON, for example from a proxy: it is quoted as text.
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
