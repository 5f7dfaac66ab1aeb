/**
 * The floor of what it takes to make objects: `node:https` on kept-alive connections, bodies as they are, no retries. A
 * controller cannot be quicker than this with the same API server.
 */
import { Agent, request } from 'node:https';
import type { ClusterAccess } from '@muster/kube';

export interface RawClient {
  /** Resolves when the object is created; rejects with the server's words. */
  post(path: string, object: object): Promise<void>;
  /** Resolves when the server has taken the request; what is gone already counts as deleted. */
  delete(path: string): Promise<void>;
  close(): void;
}

export async function rawClient(access: ClusterAccess, connections: number): Promise<RawClient> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const tls = await access.tls();
  const credentials = await access.headers();
  const send = async (method: 'POST' | 'DELETE', path: string, object: object, expected: readonly number[]) => {
    const body = Buffer.from(JSON.stringify(object));
    const headers = { ...credentials, 'content-type': 'application/json', 'content-length': body.length };
    const { promise, resolve, reject } = Promise.withResolvers<{ code: number; text: string }>();
    const sent = request(access.server + path, { method, headers, agent, ...tls }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      answer.on('end', () => resolve({ code: answer.statusCode ?? 0, text })).on('error', reject);
    });
    sent.on('error', reject).end(body);
    const { code, text } = await promise;
    if (!expected.includes(code)) throw new Error(`${method} ${path} was answered by ${code}: ${text}`);
  };
  return {
    post: (path, object) => send('POST', path, object, [201]),
    delete: (path) => send('DELETE', path, {}, [200, 202, 404]),
    close: () => agent.destroy(),
  };
}
