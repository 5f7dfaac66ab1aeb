import { PODS, type Pod } from '@muster/job-api';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { connectProxy } from '../test-support/connect-proxy.ts';
import { json, scriptedServer } from '../test-support/scripted-server.ts';
import type { ClusterAccess } from './cluster-access.ts';
import { createKubeClient } from './http-client.ts';
import { retryDelayMs } from './retry.ts';
import { openTunnel, parseProxyUrl, proxyTitle } from './tunnel.ts';

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
    expect(proxy.connects).toEqual([
      {
        target: new URL(server.access.server).host,
        headers: expect.objectContaining({ 'proxy-authorization': `Basic ${btoa('jane:p@ss')}` }) as object,
      },
    ]);
  });

  it('reports a proxy that refuses, without its password', async () => {
    const server = await scriptedServer(json(200, POD));
    const proxy = await connectProxy({ refusals: [407] });
    const client = clientOf({ ...server.access, proxy: proxy.url.replace('//', '//jane:secret@') });
    const error = await client.get(PODS, KEY).catch((thrown: unknown) => thrown as Error);
    expect((error as Error).message).toContain(`the proxy ${proxy.url} refuses to connect to 127.0.0.1:`);
    expect((error as Error).message).toContain('status 407');
    expect((error as Error).message).not.toContain('secret');
    expect(server.requests).toEqual([]);
  });

  it('compares the certificate of an HTTPS proxy with the name of the proxy', async () => {
    const server = await scriptedServer(json(200, POD));
    const { port } = new URL(server.access.server);
    const tls = await certificateFor('localhost');
    const trusted = getCACertificates();
    setDefaultCACertificates([tls.cert]);
    onTestFinished(() => setDefaultCACertificates(trusted));
    const proxy = await connectProxy({ tls, upstreamHost: '127.0.0.1' });
    const client = clientOf({ ...server.access, server: `http://api.example:${port}`, proxy: proxy.url });
    expect(await client.get(PODS, KEY)).toMatchObject(POD);
    expect(proxy.connects.map(({ target }) => target)).toEqual([`api.example:${port}`]);
  });

  it('repeats a create if the proxy could not connect', async () => {
    const server = await scriptedServer(json(201, POD));
    const proxy = await connectProxy({ refusals: [503] });
    const client = clientOf({ ...server.access, proxy: proxy.url });
    expect(await client.create(PODS, POD)).toMatchObject(POD);
    expect({ connects: proxy.connects.length, sent: server.requests.length }).toEqual({ connects: 2, sent: 1 });
  });

  it('does not repeat a request that the proxy forbids', async () => {
    const server = await scriptedServer(json(200, POD));
    const proxy = await connectProxy({ refusals: [403] });
    const client = clientOf({ ...server.access, proxy: proxy.url });
    await expect(client.get(PODS, KEY)).rejects.toThrow('status 403');
    expect(proxy.connects).toHaveLength(1);
  });

  it('closes promptly while the proxy is silent', async () => {
    const server = await scriptedServer(json(200, POD));
    const proxy = `http://${await rawServer(() => {})}`;
    const client = createKubeClient({ ...server.access, proxy }, { userAgent: 'spec/1' });
    const interrupted = new AbortController();
    const pending = client.get(PODS, KEY, { signal: interrupted.signal });
    interrupted.abort(new Error('enough'));
    await expect(pending).rejects.toThrow('enough');
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

describe('a tunnel that cannot be opened', () => {
  const end = { host: '10.0.0.1', port: 6443 };
  const options = { timeoutMs: 10_000, signal: new AbortController().signal };
  const refuses = (answer: readonly number[]) => (socket: Socket) => {
    socket.once('data', () => {
      socket.write(Buffer.from([5, 0]));
      socket.once('data', () => socket.end(Buffer.from([5, ...answer, 0, 1, 0, 0, 0, 0, 0, 0])));
    });
  };

  it.each(['http', 'socks5'])('counts as not connected: %s proxy that does not answer', async (scheme) => {
    const silent = new URL(`${scheme}://${await rawServer(() => {})}`);
    const error = await failureOf(openTunnel(silent, end, { ...options, timeoutMs: 50 }));
    expect(error).toMatchObject({ code: 'PROXY_NOT_CONNECTED' });
  });

  it.each<[string, string, (socket: Socket) => void]>([
    ['an HTTP proxy that closes the connection', 'http', (socket) => void socket.once('data', () => socket.destroy())],
    [
      'a SOCKS proxy that closes the connection',
      'socks5',
      (socket) => void socket.once('data', () => socket.destroy()),
    ],
    ['a SOCKS proxy that cannot reach the host', 'socks5', refuses([4])],
  ])('counts as not connected: %s', async (_what, scheme, serve) => {
    const error = await failureOf(openTunnel(new URL(`${scheme}://${await rawServer(serve)}`), end, options));
    expect(error).toMatchObject({ code: 'PROXY_NOT_CONNECTED' });
    expect(retryDelayMs({ kind: 'connection', errorCode: error.code }, false, 1)).toBeDefined();
  });

  it('is not retried if a SOCKS proxy forbids the connection', async () => {
    const error = await failureOf(openTunnel(new URL(`socks5://${await rawServer(refuses([2]))}`), end, options));
    expect(error.message).toContain('NotAllowed');
    expect(error.code).toBeUndefined();
  });
});

describe('the URL of a proxy', () => {
  it.each([
    ['proxy:3128', 'http://proxy:3128'],
    ['http://jane:secret@proxy:3128', 'http://proxy:3128'],
    ['https://proxy', 'https://proxy'],
    ['socks5://[::1]:1080', 'socks5://[::1]:1080'],
  ])('parses %s', (text, title) => {
    const url = parseProxyUrl(text);
    expect(url && proxyTitle(url)).toBe(title);
  });

  it.each(['ftp://proxy', 'http://', '://'])('refuses %s', (text) => {
    expect(parseProxyUrl(text)).toBeUndefined();
  });
});

async function failureOf(tunnel: Promise<Socket>): Promise<NodeJS.ErrnoException> {
  return tunnel.then(
    () => Promise.reject(new Error('there is a tunnel')),
    (error: unknown) => error as NodeJS.ErrnoException,
  );
}

/** Host and port of a server that calls `serve` for each connection. Closed when the test ends. */
async function rawServer(serve: (socket: Socket) => void): Promise<string> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => socket.destroy());
    serve(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Self-signed, valid for a day. */
async function certificateFor(name: string): Promise<{ key: string; cert: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'tunnel-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const [key, cert] = [join(folder, 'tls.key'), join(folder, 'tls.crt')];
  const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '1'];
  const subject = ['-subj', `/CN=${name}`, '-addext', `subjectAltName=DNS:${name}`];
  await promisify(execFile)('openssl', ['req', ...kind, ...subject, '-keyout', key, '-out', cert]);
  return { key: await readFile(key, 'utf8'), cert: await readFile(cert, 'utf8') };
}

/** Supports only connections to IPv4 addresses. */
async function socksProxy(): Promise<{ url: string; targets: string[] }> {
  const targets: string[] = [];
  const { connect } = await import('node:net');
  const server = createServer((client) => {
    client.on('error', () => client.destroy());
    client.once('data', () => {
      client.write(Buffer.from([5, 0]));
      client.once('data', (request: Buffer) => {
        const host = [...request.subarray(4, 8)].join('.');
        const port = request.readUInt16BE(8);
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
