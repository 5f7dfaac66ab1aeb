/**
 * Requests to one API server on kept-alive connections, with credentials and metrics. A request is sent once. Only an
 * answer of 401 renews the credentials and repeats it: credentials expire while the process runs, and the server has
 * not acted.
 *
 * Each watch has its own connection, so that watches never delay requests.
 */
import type { Socket } from 'node:net';
import { buildConnector, type Dispatcher, Pool } from 'undici';
import type { ClusterAccess, Credentials, TlsOptions } from './cluster-access.ts';
import { type Response, type ResponseHead, type StreamedResponse, exchange, streamingExchange } from './exchange.ts';
import type { RestMetrics } from './rest-metrics.ts';
import { openTunnel, parseProxyUrl } from './tunnel.ts';
import { unlessAborted } from './unless-aborted.ts';

export interface TransportRequest {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: string;
  body?: string;
  contentType?: string;
  headers?: Readonly<Record<string, string>>;
  plain?: true;
  signal?: AbortSignal | undefined;
}

export interface Transport {
  send(request: TransportRequest): Promise<Response>;
  stream(request: TransportRequest, silenceLimitMs: number): Promise<StreamedResponse>;
  /** Cuts streams, waits for requests that callers await, and closes all connections. */
  close(): Promise<void>;
}

export interface TransportOptions {
  userAgent: string;
  connections: number;
  /** Timeout for connecting, for the head of an answer, and for silence within it. */
  requestTimeoutMs: number;
  metrics: RestMetrics | undefined;
}

const CONNECT_TIMEOUT_MS = 10_000;

/** Below the API server's limit of 90 seconds for idle connections, so that it never closes one during a request. */
const KEEP_ALIVE_MS = 60_000;

export function createTransport(access: ClusterAccess, options: TransportOptions): Transport {
  const connections = createConnections(access, options);
  const basePath = new URL(access.server).pathname.replace(/\/$/, '');

  async function authenticated<R extends ResponseHead>(
    request: TransportRequest,
    dispatch: (pools: Pools, options: Dispatcher.DispatchOptions) => Promise<R>,
  ): Promise<R> {
    for (let renewed = false; ; renewed = true) {
      // A credential plugin may take a minute, or prompt the user.
      const credentials = await unlessAborted(access.headers(), request.signal);
      const pools = connections.current();
      request.signal?.throwIfAborted();
      const response = await measured(options.metrics, request.method, () =>
        dispatch(pools, {
          method: request.method,
          path: basePath + request.path,
          headers: { ...request.headers, ...headersFor(request, options.userAgent), ...credentials },
          body: request.body ?? null,
          // Otherwise undici closes the connection after a DELETE with a body.
          reset: false,
        }),
      );
      if (response.code !== 401 || renewed) return response;
      await unlessAborted(renew(credentials, pools), request.signal);
    }
  }

  async function renew(refused: Credentials, pools: Pools): Promise<void> {
    const current = await access.headers();
    // Another request has renewed the token meanwhile.
    if (current.authorization !== refused.authorization) return;
    access.refresh();
    if (refused.authorization === undefined) connections.renew(pools);
  }

  const running = new Set<Promise<Response>>();
  function send(request: TransportRequest): Promise<Response> {
    const sent = authenticated(request, (pools, dispatch) => exchange(pools.requests, dispatch, request.signal));
    const over = (): boolean => running.delete(sent);
    running.add(sent);
    sent.then(over, over);
    return sent;
  }

  return {
    send,
    stream: (request, silenceLimitMs) =>
      authenticated(request, (pools, dispatch) =>
        streamingExchange(pools.streams, { ...dispatch, bodyTimeout: silenceLimitMs }, request.signal),
      ),
    close: () => connections.close(Promise.allSettled(running)),
  };
}

interface Pools {
  requests: Pool;
  streams: Pool;
}

function createConnections(access: ClusterAccess, options: TransportOptions) {
  const closing = new AbortController();
  const connect = createConnector(access, closing.signal);
  const newPool = (connections: number | null): Pool =>
    new Pool(new URL(access.server).origin, {
      connections,
      connect,
      allowH2: false,
      keepAliveTimeout: KEEP_ALIVE_MS,
      keepAliveMaxTimeout: KEEP_ALIVE_MS,
      headersTimeout: options.requestTimeoutMs,
      bodyTimeout: options.requestTimeoutMs,
    });
  const newPools = (): Pools => ({ requests: newPool(options.connections), streams: newPool(null) });
  let pools = newPools();
  const retired = new Set<Pool>();
  return {
    current: () => pools,
    /** Certificates belong to connections: new ones need new connections, while the old ones finish their requests. */
    renew(refused: Pools): void {
      if (refused !== pools) return;
      for (const pool of [pools.requests, pools.streams]) {
        retired.add(pool);
        void pool.close().then(() => retired.delete(pool));
      }
      pools = newPools();
    },
    /** Undici's `close` would also wait for unused connections that are still connecting. */
    async close(requestsOver: Promise<unknown>): Promise<void> {
      void pools.requests.close();
      const streamsOver = pools.streams.destroy();
      await requestsOver;
      closing.abort();
      await Promise.all([streamsOver, pools.requests.destroy(), ...Array.from(retired, (pool) => pool.destroy())]);
    },
  };
}

function headersFor(request: TransportRequest, userAgent: string): Record<string, string> {
  const accept = request.plain === true ? '*/*' : 'application/json';
  const headers: Record<string, string> = { accept, 'user-agent': userAgent };
  if (request.body !== undefined) headers['content-type'] = request.contentType ?? 'application/json';
  return headers;
}

/** Connects with the current credentials, and resumes TLS sessions while they are unchanged. */
export function createConnector(access: ClusterAccess, closing: AbortSignal): buildConnector.connector {
  let built: { tls: TlsOptions; connect: buildConnector.connector } | undefined;
  const proxy = access.proxy === undefined ? undefined : parseProxyUrl(access.proxy);
  return (target, callback) => {
    access.tls().then(
      (tls) => {
        if (built?.tls !== tls) {
          const connect = buildConnector({ ...tls, allowH2: false, timeout: CONNECT_TIMEOUT_MS });
          built = { tls, connect: endedBy(closing, connect) };
        }
        if (proxy === undefined) built.connect(target, callback);
        else connectThrough(proxy, target, { connect: built.connect, callback, closing });
      },
      (error: unknown) => callback(error as Error, null),
    );
  };
}

/**
 * The signal also closes sockets that are still connecting, which a destroyed pool does not. Node's own option `signal` would keep a
 * listener, and with it the socket, after the connection is closed.
 */
function endedBy(closing: AbortSignal, connect: buildConnector.connector): buildConnector.connector {
  return (target, callback) => {
    if (closing.aborted) return callback(closing.reason as Error, null);
    // Undici's connector returns its socket, which its type does not say.
    const socket = connect(target, callback) as unknown as Socket;
    const end = () => socket.destroy(closing.reason as Error);
    closing.addEventListener('abort', end);
    socket.once('close', () => closing.removeEventListener('abort', end));
  };
}

function connectThrough(
  proxy: URL,
  target: buildConnector.Options,
  {
    connect,
    callback,
    closing,
  }: { connect: buildConnector.connector; callback: buildConnector.Callback; closing: AbortSignal },
): void {
  const isHttps = target.protocol === 'https:';
  const end = { host: target.hostname.replace(/^\[(.*)\]$/, '$1'), port: Number(target.port || (isHttps ? 443 : 80)) };
  openTunnel(proxy, end, { timeoutMs: CONNECT_TIMEOUT_MS, signal: closing }).then(
    (socket) => (isHttps ? connect({ ...target, httpSocket: socket }, callback) : callback(null, socket)),
    (error: unknown) => callback(error as Error, null),
  );
}

async function measured<R extends ResponseHead>(
  metrics: RestMetrics | undefined,
  method: string,
  dispatch: () => Promise<R>,
): Promise<R> {
  if (metrics === undefined) return dispatch();
  const start = performance.now();
  let code = 0;
  try {
    const response = await dispatch();
    code = response.code;
    return response;
  } finally {
    metrics.observe(method, code, (performance.now() - start) / 1000);
  }
}
