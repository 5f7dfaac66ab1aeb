/** An HTTP server with the answers of Ray Serve on several clusters, and an operator's requests sent to it. */
import type { JobOperatorOptions } from '@muster/common-job-controller';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';

export interface ServeOn {
  /** By name, with their status. Default: none. */
  applications?: Record<string, string>;
  /** Of a PUT. Default: 200. A successful one deploys `deploys`, if set. */
  put?: { status: number; body?: string; delayMs?: number };
  deploys?: Record<string, string>;
  /** Of the health check of the head's proxy. Default: 503. */
  proxy?: number;
}

export class StubServe implements AsyncDisposable {
  /** By cluster. */
  readonly clusters = new Map<string, ServeOn>();
  /** `<cluster> <method> <path> <body>`, without health checks. */
  readonly calls: string[] = [];
  readonly #server = createServer((request, response) => void this.#answer(request, response));

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', () => resolve()));
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  get puts(): string[] {
    return this.calls.filter((call) => call.includes(' PUT '));
  }

  /** Replaces the network of an operator. The cluster is the first part of the path. */
  readonly send: NonNullable<JobOperatorOptions['sendProbe']> = async (probe, signal) => {
    const { url, method = 'GET', body, timeoutMs } = probe;
    if (typeof url === 'string') throw new Error(`${url} is no Service or pod`);
    const target = 'service' in url ? url.service.replace(/-head-svc$/, '') : url.pod.replace(/-head.*$/, '');
    const { port } = this.#server.address() as AddressInfo;
    const answer = await fetch(`http://127.0.0.1:${port}/${target}${url.path}`, {
      method,
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    });
    const text = await answer.text();
    return { status: answer.status, body: parsed(text) };
  };

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, cluster = '', ...rest] = (request.url ?? '').split('/');
    const path = `/${rest.join('/')}`;
    const serve = this.clusters.get(cluster) ?? {};
    const end = (status: number, body: string) => response.writeHead(status).end(body);
    if (path === '/-/healthz') return void end(serve.proxy ?? 503, 'success');
    const body = Buffer.concat(await request.toArray()).toString();
    this.calls.push(`${cluster} ${request.method} ${path} ${body}`.trim());
    if (request.method === 'PUT') {
      const { status = 200, body: text = '', delayMs = 0 } = serve.put ?? {};
      if (delayMs > 0) await setTimeout(delayMs);
      if (status === 200 && serve.deploys !== undefined) serve.applications = serve.deploys;
      return void end(status, text);
    }
    const applications = Object.entries(serve.applications ?? {}).map(
      ([name, status]) => [name, { status, message: '', deployments: {} }] as const,
    );
    end(200, JSON.stringify({ applications: Object.fromEntries(applications) }));
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
