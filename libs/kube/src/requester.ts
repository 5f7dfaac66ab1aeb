/** Sends a request, repeats it if that is safe (`retry.ts`), and parses the answer. */
import { setTimeout as sleep } from 'node:timers/promises';
import { answerError, connectionError, errorCodeOf, retryAfterOf } from './answer-error.ts';
import type { ResponseHead } from './exchange.ts';
import type { KubeError } from './kube-error.ts';
import type { Logger } from './logger.ts';
import type { RateLimit } from './rate-limit.ts';
import { type Failure, retryDelayMs } from './retry.ts';
import type { Transport, TransportRequest } from './transport.ts';
import { withoutManagedFields } from './without-managed-fields.ts';

export interface ApiRequest extends TransportRequest {
  title: string;
  /** The request may be repeated although the server may have acted on it. */
  repeatable: boolean;
  parse?: ((json: string) => unknown) | undefined;
  onWarning?: ((warning: string) => void) | undefined;
}

export interface Requester {
  /** Returns parsed JSON, or plain text. Throws a `KubeError`, or the signal's reason. */
  request<R>(this: void, request: ApiRequest): Promise<R>;
}

export interface RequesterParts {
  server: string;
  transport: Transport;
  rateLimit: RateLimit;
  logger: Logger | undefined;
  onWarning: ((warning: string) => void) | undefined;
}

export function createRequester({ server, transport, rateLimit, logger, onWarning }: RequesterParts): Requester {
  return {
    async request<R>(request: ApiRequest): Promise<R> {
      const { title, repeatable, signal, onWarning: onOwnWarning } = request;
      for (let tries = 1; ; tries++) {
        await pause(rateLimit.reserveMs(), signal);
        const { answer, error, failure, warnings = [] } = await tryOnce<R>(server, transport, request);
        for (const warning of warnings) {
          onWarning?.(warning);
          onOwnWarning?.(warning);
        }
        if (error === undefined) return answer;
        const delayMs = retryDelayMs(failure, repeatable, tries);
        if (delayMs === undefined) throw error;
        logger?.debug('repeating a request', { request: title, tries, delayMs, error: error.message });
        await pause(delayMs, signal);
      }
    },
  };
}

type Outcome<R> = { warnings?: string[] } & (
  { answer: R; error?: undefined; failure?: undefined } | { answer?: undefined; error: KubeError; failure: Failure }
);

async function tryOnce<R>(server: string, transport: Transport, request: ApiRequest): Promise<Outcome<R>> {
  try {
    const response = await transport.send(request);
    const warnings = warningsOf(response);
    if (response.code >= 200 && response.code < 300) {
      const { plain, parse = parseAnswer } = request;
      return { answer: (plain === true ? response.text : parse(response.text)) as R, warnings };
    }
    return {
      warnings,
      error: answerError(request.title, response, response.text),
      failure: { kind: 'answer', code: response.code, retryAfterSeconds: retryAfterOf(response) },
    };
  } catch (cause) {
    // An abort by the caller is not a failure of the request.
    if (request.signal?.aborted === true) throw request.signal.reason;
    return {
      error: connectionError(request.title, server, cause),
      failure: { kind: 'connection', errorCode: errorCodeOf(cause) },
    };
  }
}

function parseAnswer(json: string): unknown {
  return withoutManagedFields(JSON.parse(json) as unknown);
}

/** Texts of the header `Warning`: `299 - "text"`, perhaps several. */
function warningsOf({ headers }: ResponseHead): string[] {
  const { warning = [] } = headers as { warning?: string | string[] };
  return [warning]
    .flat()
    .flatMap((value) => [...value.matchAll(/\d{3} \S+ "((?:[^"\\]|\\.)*)"/g)])
    .map(([, text = '']) => text.replaceAll(/\\(.)/g, '$1'));
}

async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  if (ms <= 0) return;
  try {
    await sleep(ms, undefined, signal === undefined ? {} : { signal });
  } catch (error) {
    throw signal?.aborted === true ? signal.reason : error;
  }
}
