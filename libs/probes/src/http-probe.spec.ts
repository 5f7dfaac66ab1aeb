import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { sendHttpProbe } from './http-probe.ts';

/** Ends a wait for an answer that never arrives. */
const LIMIT_MS = 120_000;

const servers: Server[] = [];

afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  }
});

async function serving(listener: RequestListener): Promise<{ server: Server; url: string }> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/status` };
}

const send = (
  url: string,
  probe: Partial<Parameters<typeof sendHttpProbe>[0]> = {},
  signal = new AbortController().signal,
) => sendHttpProbe({ url, timeoutMs: 30_000, ...probe }, signal);

describe('sendHttpProbe', () => {
  it('sends method, headers and body, and returns the status and the parsed body', async () => {
    const { url } = await serving((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        response.writeHead(202);
        response.end(JSON.stringify({ method: request.method, token: request.headers['x-token'], body }));
      });
    });
    expect(await send(url, { method: 'POST', headers: { 'x-token': 't' }, body: { name: 'é' } })).toEqual({
      status: 202,
      body: { method: 'POST', token: 't', body: '{"name":"é"}' },
    });
  });

  it('returns text that is not JSON, and follows no redirect', async () => {
    const { url } = await serving((_request, response) => {
      response.writeHead(302, { location: '/elsewhere' });
      response.end('moved');
    });
    expect(await send(url)).toEqual({ status: 302, body: 'moved' });
  });

  it('closes its connection after each answer', async () => {
    const { server, url } = await serving((_request, response) => response.end('{}'));
    for (let count = 0; count < 5; count += 1) await send(url);
    await vi.waitFor(async () => {
      const open = await new Promise((resolve) => server.getConnections((_error, count) => resolve(count)));
      expect(open).toBe(0);
    }, LIMIT_MS);
  });

  it('rejects an answer that is too large', async () => {
    const { url } = await serving((_request, response) => response.end('x'.repeat(100)));
    await expect(send(url, { largestBody: 99 })).rejects.toThrow('the response exceeds 99 bytes');
  });

  it('rejects if no answer arrives in time, or no server listens', async () => {
    const { server, url } = await serving(() => undefined);
    await expect(send(url, { timeoutMs: 100 })).rejects.toThrow('did not respond within 0.1 s');
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
    servers.pop();
    await expect(send(url)).rejects.toThrow(/^request to .* failed: .*ECONNREFUSED/);
  });

  it('rejects when the caller aborts', async () => {
    const abort = new AbortController();
    const { url } = await serving(() => abort.abort());
    await expect(send(url, {}, abort.signal)).rejects.toThrow(' failed: ');
  });
});
