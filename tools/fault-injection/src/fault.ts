export interface ProxiedRequest {
  method: string;
  /** Without the query. */
  path: string;
  query: URLSearchParams;
  watch: boolean;
  /** When the proxy had the whole request, by `performance.now()`. */
  receivedMs: number;
}

export interface ProxiedWrite {
  readonly receivedMs: number;
  readonly method: string;
  readonly path: string;
  readonly code: number;
  /** Of the object in the answer, if there is one. */
  readonly name: string | undefined;
  readonly uid: string | undefined;
  /** The object's resourceVersion after the write; comparable over all objects. */
  readonly version: number | undefined;
}

export type Fault =
  /** Answered without the server, as a Status object unless a body is given. */
  | { type: 'answer'; code: number; reason?: string; retryAfterSeconds?: number; body?: object }
  /** The connection is cut before the request is sent. */
  | { type: 'refuse' }
  /** The server handles the request; its answer is lost. */
  | { type: 'loseAnswer' }
  /** `until` can only make the delay longer. */
  | { type: 'delay'; ms: number; until?: Promise<unknown> }
  /** A watch is cut after that many events (bookmarks count), in the middle of the next line if `midLine`. */
  | { type: 'cut'; afterEvents: number; midLine?: boolean }
  /** A watch ends after that many events with an event of type ERROR, 410, as for a client that is too slow. */
  | { type: 'expire'; afterEvents: number }
  /** No data on an open connection: after that many events of a watch, or at once for other requests. */
  | { type: 'stall'; afterEvents?: number };

/** All given parts have to match. */
export type RequestMatch =
  { method?: string; path?: string | RegExp; watch?: boolean } | ((request: ProxiedRequest) => boolean);

export function matches(match: RequestMatch, request: ProxiedRequest): boolean {
  if (typeof match === 'function') return match(request);
  const { method, path, watch } = match;
  if (method !== undefined && method !== request.method) return false;
  if (watch !== undefined && watch !== request.watch) return false;
  if (path === undefined) return true;
  return typeof path === 'string' ? request.path.includes(path) : path.test(request.path);
}
