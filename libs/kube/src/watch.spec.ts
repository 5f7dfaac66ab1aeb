import { PODS, type Pod } from '@muster/job-api';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Answer, scriptedServer, status } from '../test-support/scripted-server.ts';
import type { WatchEvent, WatchOptions } from './client.ts';
import { createKubeClient } from './http-client.ts';
import { isKubeError } from './kube-error.ts';

const line = (type: string, name: string): string => JSON.stringify({ type, object: { metadata: { name } } }) + '\n';

async function watchAll(answer: Answer, options: Partial<WatchOptions> = {}) {
  const server = await scriptedServer(answer);
  const client = createKubeClient(server.access, { userAgent: 'spec/1' });
  onTestFinished(() => client.close());
  const events: WatchEvent<Pod>[] = [];
  let error: unknown;
  try {
    for await (const event of await client.watch(PODS, { resourceVersion: '1', ...options })) events.push(event);
  } catch (thrown) {
    error = thrown;
  }
  return {
    events,
    seen: events.map(({ type, object }) => `${type} ${object.metadata?.name}`),
    error,
    requests: server.requests,
  };
}

describe('watch', () => {
  it('requests bookmarks, from a resourceVersion on', async () => {
    const { requests } = await watchAll((response) => response.end(), { timeoutSeconds: 60, labelSelector: 'a=b' });
    expect(requests[0]?.url).toBe(
      '/api/v1/pods?watch=true&allowWatchBookmarks=true&labelSelector=a%3Db&resourceVersion=1&timeoutSeconds=60',
    );
  });

  it('ends without an error when the server ends it, and skips unknown event types', async () => {
    const { seen, error } = await watchAll((response) =>
      response.end(line('ADDED', 'a') + line('FUTURE', 'x') + line('BOOKMARK', 'b') + line('DELETED', 'c')),
    );
    expect(seen).toEqual(['ADDED a', 'BOOKMARK b', 'DELETED c']);
    expect(error).toBeUndefined();
  });

  it('omits metadata.managedFields from objects', async () => {
    const metadata = { name: 'a', labels: { text: ',"managedFields":[{ }]' } };
    const object = { metadata: { ...metadata, managedFields: [{ manager: 'kubelet' }] } };
    const { events } = await watchAll((response) => response.end(`${JSON.stringify({ type: 'ADDED', object })}\n`));
    expect(events).toEqual([{ type: 'ADDED', object: { metadata } }]);
  });

  it('reports a line that is not JSON as a lost connection', async () => {
    const { error } = await watchAll((response) => response.end('{"type":"ADDED","object"\n'));
    expect(isKubeError(error, 'Unreachable')).toBe(true);
  });

  it('drops an incomplete line at a cut', async () => {
    const { seen, error } = await watchAll((response) => {
      response.write(line('ADDED', 'a') + '{"type":"ADDED","object":{"metadata":{"na', () => response.destroy());
    });
    expect(seen).toEqual(['ADDED a']);
    expect(isKubeError(error, 'Unreachable')).toBe(true);
  });

  it('throws an error event of the server', async () => {
    const expired = { type: 'ERROR', object: { kind: 'Status', code: 410, reason: 'Expired', message: 'too old' } };
    const { seen, error } = await watchAll((response) =>
      response.end(line('ADDED', 'a') + JSON.stringify(expired) + '\n'),
    );
    expect(seen).toEqual(['ADDED a']);
    expect(error).toMatchObject({ code: 410, reason: 'Expired', message: 'watch pods: too old' });
  });

  it("throws the server's error response", async () => {
    const { error } = await watchAll(status(403, 'Forbidden', 'no'));
    expect(error).toMatchObject({ code: 403, message: 'watch pods: no' });
  });

  it('cuts a connection without data', async () => {
    const { seen, error } = await watchAll((response) => response.write(line('ADDED', 'a')), { silenceLimitMs: 50 });
    expect(seen).toEqual(['ADDED a']);
    expect(isKubeError(error, 'Unreachable')).toBe(true);
  });

  it('delivers thousands of events to a slow reader in order', async () => {
    const count = 5000;
    const server = await scriptedServer((response) => {
      for (let i = 0; i < count; i++) response.write(line('ADDED', `p${i}`));
      response.end();
    });
    const client = createKubeClient(server.access, { userAgent: 'spec/1' });
    onTestFinished(() => client.close());
    let next = 0;
    for await (const { object } of await client.watch(PODS, { resourceVersion: '1' })) {
      expect(object.metadata?.name).toBe(`p${next++}`);
      if (next % 500 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    expect(next).toBe(count);
  });

  it('closes the connection when the reader leaves', async () => {
    let closed = (): void => undefined;
    const closing = new Promise<void>((resolve) => (closed = resolve));
    const server = await scriptedServer((response) => {
      response.on('close', closed);
      response.write(line('ADDED', 'a'));
    });
    const client = createKubeClient(server.access, { userAgent: 'spec/1' });
    onTestFinished(() => client.close());
    for await (const event of await client.watch(PODS, { resourceVersion: '1' })) {
      expect(event.type).toBe('ADDED');
      break;
    }
    await closing;
  });

  it('throws the reason of the abort', async () => {
    const abort = new AbortController();
    const leaving = new Error('leaving');
    const { error } = await watchAll((response) => response.write(line('ADDED', 'a'), () => abort.abort(leaving)), {
      signal: abort.signal,
    });
    expect(error).toBe(leaving);
  });
});
