/**
 * The floor of what it takes to make objects: `node:https` on kept-alive connections, bodies as they are, no retries but those that
 * a server asks for that is overloaded (429), and on another connection where a kept one was closed at the moment that it was used again. A controller cannot be quicker than this with the same API server.
 */
import { Agent as PlainAgent, request as plainRequest, type ClientRequest } from 'node:http';
import { Agent, request } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ClusterAccess } from '@muster/kube';

export interface RawClient {
  /** Resolves when the object is created; rejects with the server's words. */
  post(path: string, object: object): Promise<void>;
  /** Resolves when the server has taken the request; what is gone already counts as deleted. */
  delete(path: string): Promise<void>;
  /** A merge patch. False: what is there is not what the patch was meant for, by its `metadata.uid`, or it is gone. */
  patch(path: string, changes: object): Promise<boolean>;
  /** The body of the answer, as it came. */
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
      throw new Error(`${method} ${path} was answered by ${answer.code}: ${answer.body.toString()}`);
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
    // The server closes connections that have rested for long: what was sent at that moment it has not taken.
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
