/**
 * Requests to one API server on kept-alive connections, with credentials and metrics. It sends once and judges nothing,
 * with one exception: an answer of 401 renews the credentials and the request is sent again, because tokens and
 * certificates run out under a running process and nothing was acted upon.
 *
 * Watches have connections of their own, one each, so that they never keep a request waiting.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher, Pool } from 'undici';
import buildConnector from 'undici/lib/core/connect.js';
import PoolClass from 'undici/lib/dispatcher/pool.js';
import type { ClusterAccess, TlsOptions } from './cluster-access.ts';
import { type Response, type ResponseHead, type StreamedResponse, exchange, streamingExchange } from './exchange.ts';
import type { RestMetrics } from './rest-metrics.ts';

export interface TransportRequest {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** With the query. */
  path: string;
  body?: string;
  contentType?: string;
  signal?: AbortSignal | undefined;
}

export interface Transport {
  send(request: TransportRequest): Promise<Response>;
  /** The answer as a stream, which is cut when nothing arrives for `silenceLimitMs`. */
  stream(request: TransportRequest, silenceLimitMs: number): Promise<StreamedResponse>;
  /** Cuts streams, waits for requests. */
  close(): Promise<void>;
}

export interface TransportOptions {
  userAgent: string;
  /** Connections for requests; watches come on top. */
  connections: number;
  /** Limit for connecting, for the head of an answer, and for silence within it. */
  requestTimeoutMs: number;
  metrics: RestMetrics | undefined;
}

const CONNECT_TIMEOUT_MS = 10_000;

/** Below the 90 seconds after which an API server closes an idle connection, so that it never does so under a request. */
const KEEP_ALIVE_MS = 60_000;

export function createTransport(access: ClusterAccess, options: TransportOptions): Transport {
  const { origin, pathname } = new URL(access.server);
  const basePath = pathname.replace(/\/$/, '');
  const connect = createConnector(access);
  const newPool = (connections: number | null): Pool =>
    new PoolClass(origin, {
      connections,
      connect,
      allowH2: false,
      keepAliveTimeout: KEEP_ALIVE_MS,
      keepAliveMaxTimeout: KEEP_ALIVE_MS,
      headersTimeout: options.requestTimeoutMs,
      bodyTimeout: options.requestTimeoutMs,
    });
  let requests = newPool(options.connections);
  const streams = newPool(null);

  const dispatchOptions = (request: TransportRequest, credentials: IncomingHttpHeaders): Dispatcher.DispatchOptions => ({
    method: request.method,
    path: basePath + request.path,
    headers: {
      accept: 'application/json',
      'user-agent': options.userAgent,
      ...(request.body === undefined ? {} : { 'content-type': request.contentType ?? 'application/json' }),
      ...credentials,
    },
    body: request.body ?? null,
  });

  /** Certificates belong to connections: new ones need new connections, while the old finish what they are at. */
  async function renew(sent: Record<string, string>, tlsBefore: TlsOptions): Promise<void> {
    const current = await access.headers();
    // Another request has renewed the token meanwhile.
    if (current.authorization !== sent.authorization) return;
    access.refresh();
    if ((await access.tls()).cert === tlsBefore.cert) return;
    const old = requests;
    requests = newPool(options.connections);
    void old.close();
  }

  async function authenticated<R extends ResponseHead>(
    request: TransportRequest,
    dispatch: (options: Dispatcher.DispatchOptions) => Promise<R>,
  ): Promise<R> {
    for (let renewed = false; ; renewed = true) {
      request.signal?.throwIfAborted();
      const credentials = await access.headers();
      const tls = await access.tls();
      const response = await measured(options.metrics, request.method, () =>
        dispatch(dispatchOptions(request, credentials)),
      );
      if (response.code !== 401 || renewed) return response;
      await renew(credentials, tls);
    }
  }

  return {
    send: (request) => authenticated(request, (dispatch) => exchange(requests, dispatch, request.signal)),
    stream: (request, silenceLimitMs) =>
      authenticated(request, (dispatch) =>
        streamingExchange(streams, { ...dispatch, bodyTimeout: silenceLimitMs }, request.signal),
      ),
    async close() {
      await Promise.all([streams.destroy(), requests.close()]);
    },
  };
}

/** Connects with the credentials of the moment, and resumes TLS sessions as long as they are the same. */
function createConnector(access: ClusterAccess): buildConnector.connector {
  let built: { tls: TlsOptions; connector: buildConnector.connector } | undefined;
  return (target, callback) => {
    access.tls().then(
      (tls) => {
        if (built?.tls !== tls) {
          built = { tls, connector: buildConnector({ ...tls, allowH2: false, timeout: CONNECT_TIMEOUT_MS }) };
        }
        built.connector(target, callback);
      },
      (error: unknown) => callback(error as Error, null),
    );
  };
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
