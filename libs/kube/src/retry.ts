/**
 * Which failed requests are repeated, and when: those that are idempotent, or that had no effect.
 *
 * | request                               | no connection | 429 | answer lost, 5xx |
 * |---------------------------------------|---------------|-----|------------------|
 * | get, list, server-side apply, delete  | yes           | yes | yes              |
 * | replace with a resourceVersion        | yes           | yes | yes              |
 * | create, patch, replace without one    | yes           | yes | no               |
 *
 * A repeat can fail because its predecessor succeeded: `NotFound` for a delete, `Conflict` for a replace. A level-based
 * controller expects both. A create whose answer was lost may have been stored, so it is not repeated. Names are
 * deterministic, so the caller's next create fails with `AlreadyExists`.
 */
import { backOffMs } from './back-off.ts';
import { PROXY_NOT_CONNECTED } from './tunnel.ts';

export const MAX_TRIES = 6;

/** For a longer pause the error is passed on, so that the caller is not blocked. */
const LONGEST_PAUSE_MS = 15_000;

const NOT_CONNECTED = new Set([
  'EAI_AGAIN',
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  PROXY_NOT_CONNECTED,
  'UND_ERR_CONNECT_TIMEOUT',
]);

const CUT_OFF = new Set([
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'UND_ERR_BODY_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_RES_CONTENT_LENGTH_MISMATCH',
  'UND_ERR_SOCKET',
]);

export type Failure =
  | { kind: 'answer'; code: number; retryAfterSeconds: number | undefined }
  | { kind: 'connection'; errorCode: string | undefined };

/** Undefined: do not repeat. @param repeatable the request may be repeated although the server may have acted on it */
export function retryDelayMs(
  failure: Failure,
  repeatable: boolean,
  tries: number,
  random: () => number = Math.random,
): number | undefined {
  if (tries >= MAX_TRIES || !mayRepeat(failure, repeatable)) return undefined;
  const delayMs = backOffMs(tries, { baseMs: 100, maxMs: 5_000, random });
  if (failure.kind === 'connection' || failure.retryAfterSeconds === undefined) return delayMs;
  const retryAfterMs = failure.retryAfterSeconds * 1000;
  if (retryAfterMs > LONGEST_PAUSE_MS) return undefined;
  // Never earlier than the server asks, and not all clients at once.
  return Math.max(delayMs, retryAfterMs * (1 + random() / 4));
}

function mayRepeat(failure: Failure, repeatable: boolean): boolean {
  if (failure.kind === 'answer') return failure.code === 429 || (repeatable && failure.code >= 500);
  const code = failure.errorCode ?? '';
  // Other errors (an invalid certificate, a malformed answer) are permanent.
  return NOT_CONNECTED.has(code) || (repeatable && CUT_OFF.has(code));
}

/** Seconds from a `Retry-After` header: a number, or a date. */
export function parseRetryAfter(header: string | undefined, nowMs: number = Date.now()): number | undefined {
  if (header === undefined || header === '') return undefined;
  const seconds = Number(header);
  if (Number.isFinite(seconds)) return Math.max(0, seconds);
  const dateMs = Date.parse(header);
  return Number.isNaN(dateMs) ? undefined : Math.max(0, (dateMs - nowMs) / 1000);
}
