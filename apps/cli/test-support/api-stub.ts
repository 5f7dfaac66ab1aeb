/** An API server with the answers of a test, and a kubeconfig for it. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** @param request `GET /apis/kubeflow.org/v1`, or `WATCH` for a watch. Null: no answer here. Undefined: the answer of a cluster with only PyTorchJobs. */
type Answers = (request: string, response: ServerResponse) => object | number | null | undefined;

export interface ApiStub {
  readonly kubeconfig: string;
  /** In the order of arrival, with query and headers. */
  readonly requests: readonly { readonly line: string; readonly headers: Readonly<Record<string, unknown>> }[];
}

/** Closed when the test ends. A number is the status of a refusal. */
export async function apiStub(answers: Answers): Promise<ApiStub> {
  const requests: { line: string; headers: Record<string, unknown> }[] = [];
  const server = createServer((incoming, response) => {
    incoming.resume().on('end', () => {
      const { method = '', url = '', headers } = incoming;
      const [path = ''] = url.split('?');
      requests.push({ line: `${method} ${url}`, headers });
      const verb = url.includes('watch=true') ? 'WATCH' : method;
      const given = answers(`${verb} ${path}`, response);
      const answer = given === undefined ? discovery(path) : given;
      if (answer === null) return;
      const code = typeof answer === 'number' ? answer : ((answer as { code?: number }).code ?? 200);
      response.writeHead(code, { 'content-type': 'application/json' });
      response.end(JSON.stringify(typeof answer === 'number' ? status(answer, 'NotFound', 'not found') : answer));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const folder = await mkdtemp(join(tmpdir(), 'muster-stub-'));
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await rm(folder, { recursive: true });
  });
  const { port } = server.address() as AddressInfo;
  const kubeconfig = join(folder, 'kubeconfig');
  const config = {
    clusters: [{ name: 'stub', cluster: { server: `http://127.0.0.1:${port}` } }],
    users: [{ name: 'user', user: { token: 'token' } }],
    contexts: [{ name: 'stub', context: { cluster: 'stub', user: 'user' } }],
    'current-context': 'stub',
  };
  await writeFile(kubeconfig, JSON.stringify(config));
  return { kubeconfig, requests };
}

function discovery(path: string): object {
  if (path === '/apis/kubeflow.org/v1')
    return { resources: [{ name: 'pytorchjobs', kind: 'PyTorchJob', namespaced: true }] };
  if (path === '/api/v1') return { resources: [{ name: 'configmaps', kind: 'ConfigMap', namespaced: true }] };
  return status(404, 'NotFound', 'not found');
}

export function status(code: number, reason: string, message: string): object {
  return { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason, message };
}

/** A refusal by RBAC, with the text of the API server. */
export function denied(verb: string): object {
  const message = `pytorchjobs.kubeflow.org is forbidden: User "ann" cannot ${verb} resource "pytorchjobs"`;
  return status(403, 'Forbidden', message);
}

/** @param shape of its status */
export function stubJob(name: string, shape: object = {}, spec: object = {}): object {
  const template = { spec: { containers: [{ name: 'pytorch', image: 'registry.example/train:1' }] } };
  return {
    ...{ apiVersion: 'kubeflow.org/v1', kind: 'PyTorchJob' },
    metadata: { name, namespace: 'default', uid: `uid-of-${name}`, creationTimestamp: '2026-01-01T00:00:00Z' },
    spec: { pytorchReplicaSpecs: { Worker: { replicas: 1, template } }, ...spec },
    status: shape,
  };
}

export function listOf(...items: object[]): object {
  return { kind: 'List', metadata: { resourceVersion: '1' }, items };
}
