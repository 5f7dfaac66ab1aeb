/** What a `FaultProxy` can do to a request. */
export interface ProxiedRequest {
  method: string;
  /** Without the query. */
  path: string;
  query: URLSearchParams;
  /** Whether it is a watch. */
  watch: boolean;
}

/** A write that the server has answered. */
export interface ProxiedWrite {
  readonly method: string;
  readonly path: string;
  /** The HTTP status of the answer. */
  readonly code: number;
  /** Of the object in the answer, where there is one. */
  readonly name: string | undefined;
  readonly uid: string | undefined;
  /** The version that the write has made of it. Versions are in the order of the server's writes, whatever they write. */
  readonly version: number | undefined;
}

export type Fault =
  /** The server is not asked; this is answered, as a Status object unless a body is given. */
  | { type: 'answer'; code: number; reason?: string; retryAfterSeconds?: number; body?: object }
  /** The connection is cut before the server is asked. */
  | { type: 'refuse' }
  /** The server is asked and acts; its answer never arrives. */
  | { type: 'loseAnswer' }
  /** The server is asked after so long. */
  | { type: 'delay'; ms: number }
  /** A watch is cut after so many events (bookmarks count), in the middle of the next line if `midLine`. */
  | { type: 'cut'; afterEvents: number; midLine?: boolean }
  /** A watch ends after so many events as the server ends one that is too far behind: with an event of type ERROR, 410. */
  | { type: 'expire'; afterEvents: number }
  /** Half-dead: after so many events of a watch, or at once for any other request, silence on an open connection. */
  | { type: 'stall'; afterEvents?: number };

/** A method, a part of the path, watches or others; or a function. All that is given must fit. */
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
