/** One watch request: bytes to lines to events. It throws when it is cut; `reflector.ts` resumes. */
import type { ApiStatus, KubeObject } from '@muster/job-api';
import { connectionError, statusError } from './answer-error.ts';
import type { WatchEvent } from './client.ts';
import { createLineSplitter } from './json-lines.ts';
import { openStream } from './open-stream.ts';
import type { Transport } from './transport.ts';
import { withoutManagedFields } from './without-managed-fields.ts';

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
  return readEvents<T>(watch, await openStream(transport, watch));
}

async function* readEvents<T extends KubeObject>(
  watch: WatchRequest,
  chunks: AsyncGenerator<Buffer>,
): AsyncGenerator<WatchEvent<T>> {
  const splitter = createLineSplitter();
  for await (const chunk of chunks) {
    for (const line of splitter.push(chunk)) {
      const event = parseEvent<T>(watch, line);
      if (event !== undefined) yield event;
    }
  }
}

function parseEvent<T extends KubeObject>(watch: WatchRequest, line: string): WatchEvent<T> | undefined {
  const event = parseLine<T>(watch, line);
  if (event.type === 'ERROR') throw statusError(watch.title, event.object);
  // Unknown types, of later versions of the API, are skipped.
  return ['ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK'].includes(event.type) ? event : undefined;
}

function parseLine<T>(watch: WatchRequest, line: string): WatchEvent<T> | { type: 'ERROR'; object: ApiStatus } {
  try {
    const event = JSON.parse(line) as WatchEvent<T> | { type: 'ERROR'; object: ApiStatus };
    withoutManagedFields(event.object);
    return event;
  } catch (cause) {
    throw connectionError(watch.title, watch.server, cause);
  }
}
