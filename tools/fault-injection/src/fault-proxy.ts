/**
 * A proxy on loopback for a real API server that injects faults of networks and overloaded servers, a given number of
 * times. Requests without a fault pass unchanged.
 *
 * Requests without credentials are sent with those of the real cluster, so the proxy's kubeconfig needs none.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, IncomingMessage, request as requestHttp, type Server, type ServerResponse } from 'node:http';
import { Agent, request as requestHttps } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ClusterAccess } from '@muster/kube';
import { type Fault, matches, type ProxiedRequest, type ProxiedWrite, type RequestMatch } from './fault.ts';
import { FaultWrites, type WriteHook } from './fault-writes.ts';
import { createWatchTap, type WatchTap } from './watch-tap.ts';

export interface FaultProxy extends AsyncDisposable {
  readonly access: ClusterAccess;
  readonly kubeconfig: string;
  readonly requests: readonly ProxiedRequest[];
  /** All answered writes, in the order of the answers; without dry runs. */
  readonly writes: readonly ProxiedWrite[];
  /** Applies the fault to the next `times` matching requests (default: all). Returns the function that removes it. */
  inject(match: RequestMatch, fault: Fault, times?: number): () => void;
  /**
   * Calls `act` after the server has handled the `nth` write from now. Until then writes are serialized. The client
   * gets the answer after `act`, or before it with `answerFirst`. Dry runs, refused writes and those that do not match
   * do not count.
   */
  onWrite(nth: number, act: WriteHook['act'], options?: Partial<Pick<WriteHook, 'match' | 'answerFirst'>>): void;
  readonly openWatches: number;
  cutWatches(): void;
  /** Open watches stay open without further events. */
  stallWatches(): void;
  /** Cuts every connection: requests that were not sent to the server yet are dropped. */
  cutConnections(): void;
  /** Cuts every connection and accepts none, like a server that is restarted. */
  goDown(): Promise<void>;
  comeUp(): Promise<void>;
  close(): Promise<void>;
}

type OtherAnswer = Readable & Pick<IncomingMessage, 'headers'> & { readonly statusCode: number };

interface Injection {
  match: RequestMatch;
  fault: Fault;
  left: number;
}

const HOP_BY_HOP = new Set(['connection', 'host', 'keep-alive', 'transfer-encoding']);

/** Handles a request in place of the API server; undefined if the API server has to handle it. Not called for watches. */
export type OtherServer = (
  request: ProxiedRequest,
  body: string,
) => { readonly code: number; readonly body: object | string } | undefined;

/** @param otherServer for what the API server would pass on to a program in the cluster. Faults apply to it as well. */
export async function faultProxy(
  target: ClusterAccess,
  otherServer: OtherServer = () => undefined,
): Promise<FaultProxy> {
  const proxy = new LoopbackProxy(target, otherServer);
  await proxy.comeUp();
  await proxy.writeKubeconfig();
  return proxy;
}

class LoopbackProxy implements FaultProxy {
  readonly requests: ProxiedRequest[] = [];
  kubeconfig = '';
  readonly #target: ClusterAccess;
  readonly #otherServer: OtherServer;
  readonly #agent = new Agent({ keepAlive: true });
  readonly #sockets = new Set<Socket>();
  readonly #watches = new Set<WatchTap>();
  readonly #injections = new Set<Injection>();
  readonly #writes = new FaultWrites();
  #server: Server | undefined;
  #port = 0;

  constructor(target: ClusterAccess, otherServer: OtherServer) {
    this.#target = target;
    this.#otherServer = otherServer;
  }

  get access(): ClusterAccess {
    return {
      server: `http://127.0.0.1:${this.#port}`,
      namespace: this.#target.namespace,
      tls: () => Promise.resolve({}),
      headers: () => Promise.resolve({}),
      refresh: () => undefined,
    };
  }

  get writes(): readonly ProxiedWrite[] {
    return this.#writes.done;
  }

  get openWatches(): number {
    return this.#watches.size;
  }

  inject(match: RequestMatch, fault: Fault, times = Infinity): () => void {
    const injection: Injection = { match, fault, left: times };
    this.#injections.add(injection);
    return () => this.#injections.delete(injection);
  }

  onWrite(
    nth: number,
    act: WriteHook['act'],
    { match = {}, answerFirst = false }: Partial<Pick<WriteHook, 'match' | 'answerFirst'>> = {},
  ): void {
    this.#writes.add({ nth, act, match, answerFirst });
  }

  cutWatches(): void {
    for (const watch of this.#watches) watch.cut();
  }

  stallWatches(): void {
    for (const watch of this.#watches) watch.stall();
  }

  cutConnections(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async comeUp(): Promise<void> {
    const server = createServer((request, response) => {
      this.#handle(request, response).catch(() => response.destroy());
    });
    server.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
    });
    const listening = Promise.withResolvers<void>();
    server.once('error', listening.reject);
    server.listen(this.#port, '127.0.0.1', listening.resolve);
    await listening.promise;
    this.#port = (server.address() as AddressInfo).port;
    this.#server = server;
  }

  async goDown(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (server === undefined) return;
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    this.cutConnections();
    await closed;
  }

  async close(): Promise<void> {
    await this.goDown();
    this.#agent.destroy();
    await rm(join(this.kubeconfig, '..'), { recursive: true, force: true });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async writeKubeconfig(): Promise<void> {
    this.kubeconfig = join(await mkdtemp(join(tmpdir(), 'fault-proxy-')), 'kubeconfig');
    // JSON is YAML.
    const config = {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: 'proxy', cluster: { server: this.access.server } }],
      users: [{ name: 'proxy', user: {} }],
      contexts: [{ name: 'proxy', context: { cluster: 'proxy', user: 'proxy', namespace: this.#target.namespace } }],
      'current-context': 'proxy',
    };
    await writeFile(this.kubeconfig, JSON.stringify(config));
  }

  async #handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const request = describeRequest(incoming);
    this.requests.push(request);
    const body = await readBody(incoming);
    request.receivedMs = performance.now();
    const fault = this.#takeFault(request);
    if (fault?.type === 'answer') return answerStatus(response, fault);
    if (fault?.type === 'refuse') return void response.destroy();
    if (fault?.type === 'delay') await Promise.all([sleep(fault.ms), fault.until]);
    if (fault?.type === 'stall' && !request.watch) return;
    await this.#writes.pass(request, async () => {
      // The request may have waited for its turn, and its client may have disconnected.
      if (incoming.socket.destroyed) return undefined;
      const answer = this.#answerOf(request, body) ?? (await this.#forward(incoming, body, response));
      const { statusCode: code = 502 } = answer;
      if (answer instanceof IncomingMessage && request.watch && code === 200)
        return void this.#passWatch(answer, response, fault);
      const text = await readBody(answer);
      const tellClient = async () => {
        if (fault?.type === 'loseAnswer') response.destroy();
        else await send(response.writeHead(code, passedOn(answer)), text);
      };
      return { code, body: text, tellClient };
    });
  }

  #answerOf(request: ProxiedRequest, body: Buffer): OtherAnswer | undefined {
    const other = request.watch ? undefined : this.#otherServer(request, body.toString());
    if (other === undefined) return undefined;
    const text = typeof other.body === 'string' ? other.body : JSON.stringify(other.body);
    const headers = { 'content-type': typeof other.body === 'string' ? 'text/plain' : 'application/json' };
    return Object.assign(Readable.from([Buffer.from(text)]), { statusCode: other.code, headers });
  }

  #takeFault(request: ProxiedRequest): Fault | undefined {
    for (const injection of this.#injections) {
      if (!matches(injection.match, request)) continue;
      if (--injection.left <= 0) this.#injections.delete(injection);
      return injection.fault;
    }
    return undefined;
  }

  async #forward(incoming: IncomingMessage, body: Buffer, response: ServerResponse): Promise<IncomingMessage> {
    const url = new URL(this.#target.server + (incoming.url ?? '/'));
    const secure = url.protocol === 'https:';
    const headers = { ...(await this.#target.headers()), ...passedOn(incoming), 'content-length': body.length };
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const options = { method: incoming.method ?? 'GET', headers };
    const upstream = secure
      ? requestHttps(url, { ...options, ...(await this.#target.tls()), agent: this.#agent })
      : requestHttp(url, options);
    upstream.once('response', resolve).once('error', reject).end(body);
    // A write is completed although its client has disconnected: the server may have handled it, and then it counts.
    if (incoming.method === 'GET') response.once('close', () => upstream.destroy());
    return promise;
  }

  #passWatch(answer: IncomingMessage, response: ServerResponse, fault: Fault | undefined): void {
    response.writeHead(200, passedOn(answer));
    response.flushHeaders();
    const watch = createWatchTap(response, fault);
    this.#watches.add(watch);
    response.once('close', () => this.#watches.delete(watch));
    answer.on('data', (chunk: Buffer) => watch.pass(chunk));
    answer.on('end', () => watch.end());
    answer.on('error', () => watch.cut());
  }
}

function describeRequest(incoming: IncomingMessage): ProxiedRequest {
  const url = new URL(incoming.url ?? '/', 'http://proxy');
  const watch = ['1', 'true'].includes(url.searchParams.get('watch') ?? '');
  return {
    method: incoming.method ?? 'GET',
    path: url.pathname,
    query: url.searchParams,
    watch,
    receivedMs: performance.now(),
  };
}

function passedOn(message: Pick<IncomingMessage, 'headers'>): Record<string, string | string[]> {
  return Object.fromEntries(
    Object.entries(message.headers).filter(
      (entry): entry is [string, string | string[]] => entry[1] !== undefined && !HOP_BY_HOP.has(entry[0]),
    ),
  );
}

async function readBody(message: Readable): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** Resolves when the data is handed to the system, or the client has disconnected. */
async function send(response: ServerResponse, text: Buffer): Promise<void> {
  if (response.destroyed) return;
  await new Promise<void>((resolve) => {
    response.once('close', resolve);
    response.end(text, () => resolve());
  });
}

function answerStatus(response: ServerResponse, fault: Extract<Fault, { type: 'answer' }>): void {
  const { code, reason = '', retryAfterSeconds, body } = fault;
  const status = { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason, message: `injected ${code}` };
  const wait = retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) };
  response.writeHead(code, { 'content-type': 'application/json', ...wait }).end(JSON.stringify(body ?? status));
}
