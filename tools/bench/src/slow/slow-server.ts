/**
 * A proxy on loopback in front of the API server that is slower than it: each request takes so much longer, and of more than so many a second
 * the rest is refused with 429 and Retry-After, as an overloaded server does. Watches pass, once they are let in.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Agent, request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ClusterAccess } from '@muster/kube';
import { RequestBudget } from './request-budget.ts';

export interface SlowServer extends AsyncDisposable {
  readonly access: ClusterAccess;
  readonly kubeconfig: string;
  /** How many requests a second it takes from now on; 0: it refuses all. */
  setLimit(perSecond: number): void;
  /** Requests since the last call: all of them, those that were refused, and the most in one second. */
  counts(): { readonly requests: number; readonly refused: number; readonly mostInASecond: number };
}

/** Headers that belong to one connection. */
const HOP_BY_HOP: ReadonlySet<string> = new Set(['connection', 'host', 'keep-alive', 'transfer-encoding']);

export async function slowServer(
  target: ClusterAccess,
  { delayMs, perSecond }: { delayMs: number; perSecond: number },
): Promise<SlowServer> {
  const budget = new RequestBudget(perSecond);
  const agent = new Agent({ keepAlive: true });
  const server = createServer((incoming, response) => {
    pass(target, agent, incoming, response, delayMs, budget).catch(() => response.destroy());
  });
  const listening = Promise.withResolvers<void>();
  server.once('error', listening.reject).listen(0, '127.0.0.1', listening.resolve);
  await listening.promise;
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const folder = await mkdtemp(join(tmpdir(), 'slow-server-'));
  const kubeconfig = join(folder, 'kubeconfig');
  await writeFile(kubeconfig, kubeconfigFor(url));
  return {
    access: { ...target, server: url, tls: () => Promise.resolve({}), headers: () => Promise.resolve({}) },
    kubeconfig,
    setLimit: (limit) => budget.setLimit(limit),
    counts: () => budget.counts(),
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      agent.destroy();
      await rm(folder, { recursive: true });
    },
  };
}

async function pass(
  target: ClusterAccess,
  agent: Agent,
  incoming: IncomingMessage,
  response: ServerResponse,
  delayMs: number,
  budget: RequestBudget,
): Promise<void> {
  if (!budget.take(performance.now())) {
    incoming.resume();
    const status = { kind: 'Status', apiVersion: 'v1', status: 'Failure', code: 429, reason: 'TooManyRequests' };
    response.writeHead(429, { 'content-type': 'application/json', 'retry-after': '1' }).end(JSON.stringify(status));
    return;
  }
  await sleep(delayMs);
  const headers = { ...(await target.headers()), ...passedOn(incoming) };
  const tls = await target.tls();
  const upstream = request(target.server + incoming.url, { method: incoming.method ?? 'GET', headers, agent, ...tls });
  const answered = Promise.withResolvers<IncomingMessage>();
  upstream.once('response', answered.resolve).once('error', answered.reject);
  response.once('close', () => upstream.destroy());
  incoming.pipe(upstream);
  const answer = await answered.promise;
  response.writeHead(answer.statusCode ?? 502, passedOn(answer));
  // The begin of a watch on which nothing happens for now.
  response.flushHeaders();
  answer.pipe(response);
}

function passedOn({ headers }: IncomingMessage): Record<string, string | string[]> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined || HOP_BY_HOP.has(name) ? [] : [[name, value] as const],
    ),
  );
}

/** JSON is YAML. */
function kubeconfigFor(server: string): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'slow', cluster: { server } }],
    users: [{ name: 'slow', user: {} }],
    contexts: [{ name: 'slow', context: { cluster: 'slow', user: 'slow' } }],
    'current-context': 'slow',
  });
}
