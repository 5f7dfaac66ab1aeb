/**
 * Which failed requests are repeated, and when. The rule: repeat what cannot happen twice, or what did not happen.
 *
 * | request                               | no connection | 429 | answer lost, 5xx |
 * |---------------------------------------|---------------|-----|------------------|
 * | get, list, server-side apply, delete  | yes           | yes | yes              |
 * | replace with a resourceVersion        | yes           | yes | yes              |
 * | create, patch, replace without one    | yes           | yes | no               |
 *
 * A repeat may be answered by what its lost predecessor did: `NotFound` for a delete, `Conflict` for a replace. Both
 * are outcomes that a level-based controller expects. A create whose answer was lost is not repeated, because it may
 * have been stored; with deterministic names the caller's next create says `AlreadyExists`.
 */
import { backOffMs } from './back-off.ts';
import { PROXY_NOT_CONNECTED } from './tunnel.ts';

export const MAX_TRIES = 6;

/** A server that asks for a longer pause gets its error passed on: the caller can do something else meanwhile. */
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
  /** No answer, or half of one. `errorCode` is the system's or undici's. */
  | { kind: 'connection'; errorCode: string | undefined };

/**
 * How long to wait before repeating a request that has been tried `tries` times; undefined: do not.
 *
 * @param repeatable whether the request may be sent again though the server may have acted on it
 */
export function retryDelayMs(
  failure: Failure,
  repeatable: boolean,
  tries: number,
  random: () => number = Math.random,
): number | undefined {
  if (tries >= MAX_TRIES || !mayRepeat(failure, repeatable)) return undefined;
  const delayMs = backOffMs(tries, { baseMs: 100, maxMs: 5_000, random });
  if (failure.kind === 'connection' || failure.retryAfterSeconds === undefined) return delayMs;
  const askedMs = failure.retryAfterSeconds * 1000;
  if (askedMs > LONGEST_PAUSE_MS) return undefined;
  // Never earlier than asked, and not all at the same moment.
  return Math.max(delayMs, askedMs * (1 + random() / 4));
}

function mayRepeat(failure: Failure, repeatable: boolean): boolean {
  if (failure.kind === 'answer') return failure.code === 429 || (repeatable && failure.code >= 500);
  const code = failure.errorCode ?? '';
  // Anything else (a certificate that does not fit, a malformed answer) will not be better the next time.
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
