/**
 * Lets a Prometheus on this machine scrape operators in a cluster. It serves the targets (`/targets`, HTTP service discovery) and
 * forwards scrapes (`/scrape/…`) through the API server's proxy to the pods. The credentials of the kubeconfig stay in this process,
 * and only the metrics of operators are reachable.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { KubeClient } from '@muster/kube';
import { listen, type LoopbackServer } from './listen.ts';
import { type OperatorPod, operatorPods } from './operator-pods.ts';

export interface ScrapeGateway extends LoopbackServer {
  /** URL of the service discovery. */
  readonly targetsUrl: string;
}

export async function scrapeGateway(client: KubeClient, namespace?: string): Promise<ScrapeGateway> {
  let known: ReadonlyMap<string, OperatorPod> = new Map();
  async function discover(): Promise<object[]> {
    const pods = await operatorPods(client, namespace);
    known = new Map(pods.map((pod) => [scrapePath(pod), pod]));
    return pods.map((pod) => ({
      targets: [new URL(server.url).host],
      labels: { ...pod.labels, __metrics_path__: scrapePath(pod) },
    }));
  }
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.url === '/targets') {
      const targets = await discover();
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(targets));
      return;
    }
    const pod = known.get(request.url ?? '');
    if (pod === undefined) return void response.writeHead(404).end();
    const { code, text } = await metricsOf(client, pod, response);
    response.writeHead(code, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' }).end(text);
  }
  const server = await listen(0, (request, response) => {
    answer(request, response).catch((error: unknown) => {
      // Prometheus shows only the status code. The body helps with curl.
      if (!response.headersSent) response.writeHead(502, { 'content-type': 'text/plain' });
      response.end(`${error instanceof Error ? error.message : String(error)}\n`);
    });
  });
  return { ...server, targetsUrl: `${server.url}/targets` };
}

function scrapePath({ namespace, pod }: OperatorPod): string {
  return `/scrape/${namespace}/${pod}`;
}

function metricsOf(client: KubeClient, { namespace, pod, port }: OperatorPod, response: ServerResponse) {
  const givenUp = new AbortController();
  response.once('close', () => givenUp.abort());
  return client.proxied({
    method: 'GET',
    path: `/api/v1/namespaces/${namespace}/pods/${pod}:${port}/proxy/metrics`,
    signal: givenUp.signal,
  });
}
