/** A plain HTTP server with scripted answers, for failures that a real API server does not produce on demand. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import type { ClusterAccess } from '../src/cluster-access.ts';

export interface SeenRequest {
  method: string;
  url: string;
  headers: IncomingMessage['headers'];
  body: string;
  connection: number | undefined;
}

export interface ScriptedServer {
  readonly access: ClusterAccess;
  readonly requests: readonly SeenRequest[];
}

export type Answer = (response: ServerResponse, request: SeenRequest) => void;

/** Request n gets answer n; further requests get the last answer. Closed when the test ends. */
export async function scriptedServer(...answers: [Answer, ...Answer[]]): Promise<ScriptedServer> {
  const requests: SeenRequest[] = [];
  const server = createServer((incoming, response) => {
    let body = '';
    incoming.setEncoding('utf8').on('data', (text: string) => (body += text));
    incoming.on('end', () => {
      const { method = '', url = '', headers } = incoming;
      const request = { method, url, headers, body, connection: incoming.socket.remotePort };
      requests.push(request);
      answers[Math.min(requests.length, answers.length) - 1]?.(response, request);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { access: accessTo(`http://127.0.0.1:${(server.address() as AddressInfo).port}`), requests };
}

export function accessTo(server: string, more: Partial<ClusterAccess> = {}): ClusterAccess {
  return {
    server,
    namespace: 'default',
    tls: () => Promise.resolve({}),
    headers: () => Promise.resolve({}),
    refresh: () => undefined,
    ...more,
  };
}

export function json(code: number, body: object, headers: Record<string, string> = {}): Answer {
  return (response) =>
    response.writeHead(code, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

export function status(code: number, reason: string, message: string, headers: Record<string, string> = {}): Answer {
  return json(code, { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason, message }, headers);
}

export const cut: Answer = (response) => response.destroy();
