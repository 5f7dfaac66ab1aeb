/**
 * One watch request: bytes to lines to events. It ends when the server ends it and throws when it was cut; what then
 * is for `reflector.ts` to decide.
 */
import type { ApiStatus, KubeObject } from '@muster/job-api';
import { answerError, connectionError, statusError } from './answer-error.ts';
import type { WatchEvent } from './client.ts';
import type { StreamedResponse } from './exchange.ts';
import { createLineSplitter } from './json-lines.ts';
import type { Transport } from './transport.ts';

export interface WatchRequest {
  title: string;
  server: string;
  path: string;
  silenceLimitMs: number;
  signal: AbortSignal | undefined;
}

/** Resolves when the server has accepted the watch. Errors are `KubeError`s, or the signal's reason. */
export async function openWatch<T extends KubeObject>(
  transport: Transport,
  watch: WatchRequest,
): Promise<AsyncGenerator<WatchEvent<T>>> {
  const response = await answered(watch, () =>
    transport.stream({ method: 'GET', path: watch.path, signal: watch.signal }, watch.silenceLimitMs),
  );
  if (response.code === 200) return readEvents<T>(watch, response);
  const chunks: Buffer[] = [];
  await answered(watch, async () => {
    for await (const chunk of response.body) chunks.push(chunk);
  });
  throw answerError(watch.title, response, Buffer.concat(chunks).toString('utf8'));
}

async function* readEvents<T extends KubeObject>(
  watch: WatchRequest,
  { body }: StreamedResponse,
): AsyncGenerator<WatchEvent<T>> {
  const splitter = createLineSplitter();
  try {
    for (;;) {
      const next = await answered(watch, () => body.next());
      if (next.done === true) return;
      for (const line of splitter.push(next.value)) {
        const event = parseEvent<T>(watch, line);
        if (event !== undefined) yield event;
      }
    }
  } finally {
    await body.return(undefined);
  }
}

function parseEvent<T extends KubeObject>(watch: WatchRequest, line: string): WatchEvent<T> | undefined {
  const event = parseLine<T>(watch, line);
  if (event.type === 'ERROR') throw statusError(watch.title, event.object);
  // A type from the future says nothing to this client.
  return ['ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK'].includes(event.type) ? event : undefined;
}

function parseLine<T>(watch: WatchRequest, line: string): WatchEvent<T> | { type: 'ERROR'; object: ApiStatus } {
  try {
    return JSON.parse(line) as WatchEvent<T>;
  } catch (cause) {
    throw connectionError(watch.title, watch.server, cause);
  }
}

async function answered<R>(watch: WatchRequest, action: () => Promise<R>): Promise<R> {
  try {
    return await action();
  } catch (cause) {
    if (watch.signal?.aborted === true) throw watch.signal.reason;
    throw connectionError(watch.title, watch.server, cause);
  }
}
