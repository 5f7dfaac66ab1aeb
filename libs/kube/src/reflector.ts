/**
 * Reports the contents of a collection for ever: list, then watch, and list again when the watch cannot be resumed.
 * Three layers, as in kopf's `watching.py`:
 *
 * - `reflect` never ends, whatever the layers below throw;
 * - `listThenWatch` lists once, then resumes watches until the resourceVersion is too old (410);
 * - `client.watch` is one request.
 *
 * No change is missed: each watch starts at the last resourceVersion of the list or watch. Errors are reported as
 * `FAILED`; the next `LISTED` or `WATCHING` ends them.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { KubeObject, Resource } from '@muster/job-api';
import { backOffMs } from './back-off.ts';
import type { ClusterClient } from './client.ts';
import { isKubeError, KubeError } from './kube-error.ts';
import { listPages } from './list-pages.ts';
import { restartReason, type RestartReason } from './restart-reason.ts';

export interface ReflectorOptions<T> {
  namespace?: string;
  labelSelector?: string;
  fieldSelector?: string;
  silenceLimitMs?: number;
  /** Applied to each object as it arrives, so that a list never holds all objects in full. */
  trim: (object: T) => T;
  signal: AbortSignal;
}

export type ReflectorEvent<T> =
  /** All objects. Those not in `items` are deleted. */
  | { type: 'LISTED'; items: readonly T[] }
  | { type: 'WATCHING' }
  | { type: 'ADDED' | 'MODIFIED' | 'DELETED'; object: T }
  | { type: 'RESTARTED'; reason: RestartReason }
  | { type: 'FAILED'; error: KubeError };

const PAUSE = { baseMs: 250, maxMs: 10_000 };

/** The limit for Retry-After. */
const LONGEST_PAUSE_MS = 60_000;

/** A watch that was open for this time counts as good, even without events. */
const GOOD_WATCH_MS = 30_000;

/** Random, so that the watches of one process do not all end at once. */
function watchSeconds(): number {
  return 240 + Math.floor(Math.random() * 120);
}

export async function* reflect<T extends KubeObject>(
  client: ClusterClient,
  resource: Resource<T>,
  options: ReflectorOptions<T>,
): AsyncGenerator<ReflectorEvent<T>> {
  let failures = 0;
  while (!options.signal.aborted) {
    const startedMs = performance.now();
    let failed: KubeError | undefined;
    try {
      yield* listThenWatch(client, resource, options);
    } catch (error) {
      if (options.signal.aborted) return;
      failed = isKubeError(error) ? error : unexpected(resource, error);
      yield { type: 'RESTARTED', reason: restartReason(failed) };
      yield { type: 'FAILED', error: failed };
    }
    failures = performance.now() - startedMs > GOOD_WATCH_MS ? 1 : failures + 1;
    await pause(failures, failed, options.signal);
  }
}

/** Returns when the resourceVersion is too old to resume; throws when it cannot list or may not watch. */
async function* listThenWatch<T extends KubeObject>(
  client: ClusterClient,
  resource: Resource<T>,
  options: ReflectorOptions<T>,
): AsyncGenerator<ReflectorEvent<T>> {
  const { items, resourceVersion: listed } = await listPages(client, resource, listOptions(options), options.trim);
  yield { type: 'LISTED', items };
  let resourceVersion = listed;
  let failures = 0;
  while (!options.signal.aborted) {
    const startedMs = performance.now();
    let events = 0;
    let cut: KubeError | undefined;
    try {
      const watch = await client.watch(resource, { ...watchOptions(options), resourceVersion });
      yield { type: 'WATCHING' };
      for await (const event of watch) {
        events++;
        resourceVersion = event.object.metadata?.resourceVersion ?? resourceVersion;
        if (event.type !== 'BOOKMARK') yield { type: event.type, object: options.trim(event.object) };
      }
    } catch (error) {
      const isExpired = isKubeError(error, 'Expired', 'Gone');
      if (!isExpired && !isResumable(error)) throw error;
      yield { type: 'RESTARTED', reason: restartReason(error) };
      if (isExpired) return;
      cut = error;
    }
    const good = events > 0 || performance.now() - startedMs > GOOD_WATCH_MS;
    failures = good ? 0 : failures + 1;
    // A dropped connection is normal; one that cannot be restored is reported.
    if (cut !== undefined && !good) yield { type: 'FAILED', error: cut };
    if (!good) await pause(failures, cut, options.signal);
  }
}

/** After these errors a watch is resumed; after all others the collection is listed again, as in client-go. */
function isResumable(error: unknown): error is KubeError {
  return isKubeError(error) && [0, 429, 502, 503].includes(error.code);
}

/** For example an error of the caller's `trim`, which must not end the watch. */
function unexpected(resource: Resource, cause: unknown): KubeError {
  const message = cause instanceof Error ? cause.message : String(cause);
  return new KubeError(`watch ${resource.plural}: ${message}`, { code: 0, reason: 'InternalError', cause });
}

function listOptions<T>({ namespace, labelSelector, fieldSelector, signal }: ReflectorOptions<T>) {
  return {
    ...(namespace === undefined ? {} : { namespace }),
    ...(labelSelector === undefined ? {} : { labelSelector }),
    ...(fieldSelector === undefined ? {} : { fieldSelector }),
    signal,
  };
}

function watchOptions<T>(options: ReflectorOptions<T>) {
  const { silenceLimitMs } = options;
  return {
    ...listOptions(options),
    timeoutSeconds: watchSeconds(),
    ...(silenceLimitMs === undefined ? {} : { silenceLimitMs }),
  };
}

async function pause(failures: number, error: KubeError | undefined, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  const retryAfterMs = Math.min((error?.retryAfterSeconds ?? 0) * 1000, LONGEST_PAUSE_MS);
  try {
    await sleep(Math.max(retryAfterMs, backOffMs(failures, PAUSE)), undefined, { signal });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
