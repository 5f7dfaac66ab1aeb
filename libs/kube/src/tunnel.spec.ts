import { PODS, type Pod } from '@muster/job-api';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { connectProxy } from '../test-support/connect-proxy.ts';
import { json, scriptedServer } from '../test-support/scripted-server.ts';
import type { ClusterAccess } from './cluster-access.ts';
import { createKubeClient } from './http-client.ts';
import { parseProxyUrl, proxyTitle } from './tunnel.ts';

const KEY = { namespace: 'ns', name: 'p' };
const POD: Pod = { metadata: { ...KEY } };

function clientOf(access: ClusterAccess) {
  const client = createKubeClient(access, { userAgent: 'spec/1' });
  onTestFinished(() => client.close());
  return client;
}

describe('a client whose access has a proxy', () => {
  it('sends its requests through it, with the name and password of its URL', async () => {
    const server = await scriptedServer(json(200, POD));
    const proxy = await connectProxy();
    const client = clientOf({ ...server.access, proxy: proxy.url.replace('//', '//jane:p%40ss@') });
    expect(await client.get(PODS, KEY)).toMatchObject(POD);
    expect(proxy.asked).toEqual([
      {
        target: new URL(server.access.server).host,
        headers: expect.objectContaining({ 'proxy-authorization': `Basic ${btoa('jane:p@ss')}` }) as object,
      },
    ]);
  });

  it('reports a proxy that refuses, without its password', async () => {
    const server = await scriptedServer(json(200, POD));
    const proxy = await connectProxy(407);
    const client = clientOf({ ...server.access, proxy: proxy.url.replace('//', '//jane:secret@') });
    const error = await client.get(PODS, KEY).catch((thrown: unknown) => thrown as Error);
    expect((error as Error).message).toContain(`the proxy ${proxy.url} refuses to connect to 127.0.0.1:`);
    expect((error as Error).message).toContain('status 407');
    expect((error as Error).message).not.toContain('secret');
    expect(server.requests).toEqual([]);
  });

  it('closes promptly while the proxy is silent', async () => {
    const sockets: Socket[] = [];
    const silent = createServer((socket) => sockets.push(socket));
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy();
      silent.close();
    });
    const { port } = silent.address() as AddressInfo;
    const server = await scriptedServer(json(200, POD));
    const client = createKubeClient({ ...server.access, proxy: `http://127.0.0.1:${port}` }, { userAgent: 'spec/1' });
    const interrupted = new AbortController();
    const asked = client.get(PODS, KEY, { signal: interrupted.signal });
    interrupted.abort(new Error('enough'));
    await expect(asked).rejects.toThrow('enough');
    await client.close();
  });

  it('goes through a SOCKS5 proxy', async () => {
    const server = await scriptedServer(json(200, POD));
    const { port } = new URL(server.access.server);
    const { url, targets } = await socksProxy();
    expect(await clientOf({ ...server.access, proxy: url }).get(PODS, KEY)).toMatchObject(POD);
    expect(targets).toEqual([`127.0.0.1:${port}`]);
  });
});

describe('the URL of a proxy', () => {
  it.each([
    ['proxy:3128', 'http://proxy:3128'],
    ['http://jane:secret@proxy:3128', 'http://proxy:3128'],
    ['https://proxy', 'https://proxy'],
    ['socks5://[::1]:1080', 'socks5://[::1]:1080'],
  ])('%s is read', (text, title) => {
    const url = parseProxyUrl(text);
    expect(url && proxyTitle(url)).toBe(title);
  });

  it.each(['ftp://proxy', 'http://', '://'])('%s is refused', (text) => {
    expect(parseProxyUrl(text)).toBeUndefined();
  });
});

/** Speaks as much of SOCKS5 as a connection to an IPv4 address takes. */
async function socksProxy(): Promise<{ url: string; targets: string[] }> {
  const targets: string[] = [];
  const { connect } = await import('node:net');
  const server = createServer((client) => {
    client.on('error', () => client.destroy());
    client.once('data', () => {
      client.write(Buffer.from([5, 0]));
      client.once('data', (asked: Buffer) => {
        const host = [...asked.subarray(4, 8)].join('.');
        const port = asked.readUInt16BE(8);
        targets.push(`${host}:${port}`);
        const upstream = connect(port, host, () => {
          client.write(Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0]));
          client.pipe(upstream).pipe(client);
        });
        client.on('close', () => upstream.destroy());
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { url: `socks5://127.0.0.1:${(server.address() as AddressInfo).port}`, targets };
}
