/**
 * The fastest way to create objects: `node:https` on kept-alive connections and unchanged bodies. It retries only if an overloaded server
 * asks for it (429), or on another connection if a kept one was closed while it was used again. No controller can be faster with the same
 * API server.
 */
import { Agent as PlainAgent, request as plainRequest, type ClientRequest } from 'node:http';
import { Agent, request } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ClusterAccess } from '@muster/kube';

export interface RawClient {
  /** Resolves when the object is created; rejects with the server's message. */
  post(path: string, object: object): Promise<void>;
  /** Resolves when the server has accepted the request; a missing object counts as deleted. */
  delete(path: string): Promise<void>;
  /** A merge patch. Resolves to false if the object is gone, or is another one (`metadata.uid`). */
  patch(path: string, changes: object): Promise<boolean>;
  /** The body of the response, unchanged. */
  get(path: string): Promise<Buffer>;
  close(): void;
}

export async function rawClient(access: ClusterAccess, connections: number): Promise<RawClient> {
  const secure = access.server.startsWith('https:');
  const settings = { keepAlive: true, maxSockets: connections };
  const agent = secure ? new Agent(settings) : new PlainAgent(settings);
  const tls = await access.tls();
  const credentials = await access.headers();
  const send = async (method: string, path: string, expected: readonly number[], object: object = {}) => {
    const body = Buffer.from(JSON.stringify(object));
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    const headers = { ...credentials, 'content-type': type, 'content-length': body.length };
    const answer = await answered(() =>
      (secure ? request : plainRequest)(access.server + path, { method, headers, agent, ...tls }).end(body),
    );
    if (!expected.includes(answer.code))
      throw new Error(`${method} ${path} failed with status ${answer.code}: ${answer.body.toString()}`);
    return answer;
  };
  return {
    post: async (path, object) => void (await send('POST', path, [201], object)),
    delete: async (path) => void (await send('DELETE', path, [200, 202, 404])),
    patch: async (path, changes) => (await send('PATCH', path, [200, 404, 409], changes)).code === 200,
    get: async (path) => (await send('GET', path, [200])).body,
    close: () => agent.destroy(),
  };
}

interface Answer {
  readonly code: number;
  readonly body: Buffer;
}

interface RetryAfter {
  readonly retryAfter: string | undefined;
}

async function answered(send: () => ClientRequest): Promise<Answer> {
  for (;;) {
    const { promise, resolve, reject } = Promise.withResolvers<(Answer & RetryAfter) | undefined>();
    const sent = send();
    // The server closes idle connections: it has not read a request that was sent at that moment.
    const wasClosed = (error: NodeJS.ErrnoException) => sent.reusedSocket && error.code === 'ECONNRESET';
    sent
      .on('error', (error) => (wasClosed(error) ? resolve(undefined) : reject(error)))
      .on('response', (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('end', () =>
          resolve({
            code: answer.statusCode ?? 0,
            body: Buffer.concat(chunks),
            retryAfter: answer.headers['retry-after'],
          }),
        );
        answer.on('error', reject);
      });
    const answer = await promise;
    if (answer === undefined) continue;
    if (answer.code !== 429) return answer;
    await sleep(Number(answer.retryAfter ?? 1) * 1000);
  }
}
