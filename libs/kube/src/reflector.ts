/**
 * Keeps telling what a collection holds, for ever: list, then watch, and from the beginning again when the watch cannot
 * be resumed. Three layers, as in kopf's `watching.py`:
 *
 * - `reflect` never ends: it outlives whatever the layers below throw;
 * - `listThenWatch` lists once, then resumes one watch after the other from where the last one stopped, until the
 *   server has forgotten that place (410);
 * - `client.watch` is one request.
 *
 * Nothing is missed: each watch begins at the resourceVersion that the list or the last event told. Errors come out as
 * `FAILED`, so that somebody can be told; the next `LISTED` or `WATCHING` says that they are over.
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
  /** All there is. What is not among `items` is gone. */
  | { type: 'LISTED'; items: readonly T[] }
  /** A watch runs. */
  | { type: 'WATCHING' }
  | { type: 'ADDED' | 'MODIFIED' | 'DELETED'; object: T }
  /** A list or a watch ended before its time, and is begun again. */
  | { type: 'RESTARTED'; reason: RestartReason }
  | { type: 'FAILED'; error: KubeError };

const PAUSE = { baseMs: 250, maxMs: 10_000 };

/** However long a server asks to wait. */
const LONGEST_PAUSE_MS = 60_000;

/** A watch that stood for so long was no failure, even if nothing happened on it. */
const GOOD_WATCH_MS = 30_000;

/** Watches end in their own time, spread so that those of one process do not all come back together. */
function watchSeconds(): number {
  return 240 + Math.floor(Math.random() * 120);
}

/** Ends only when `signal` aborts. */
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

/** Returns when the server no longer knows the place where to resume; throws when it cannot list or may not watch. */
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
    // A dropped connection is a watch's daily bread; one that cannot be had again is worth telling.
    if (cut !== undefined && !good) yield { type: 'FAILED', error: cut };
    if (!good) await pause(failures, cut, options.signal);
  }
}

/** Errors after which a watch may go on from where it was; all others are answered with a new list, as client-go does. */
function isResumable(error: unknown): error is KubeError {
  return isKubeError(error) && [0, 429, 502, 503].includes(error.code);
}

/** A fault of the caller's `trim`, say: no reason to stop watching everything else. */
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

/** Backs off, or waits as long as the server asked. Ends early, without an error, when `signal` aborts. */
async function pause(failures: number, error: KubeError | undefined, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  const askedMs = Math.min((error?.retryAfterSeconds ?? 0) * 1000, LONGEST_PAUSE_MS);
  try {
    await sleep(Math.max(askedMs, backOffMs(failures, PAUSE)), undefined, { signal });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
