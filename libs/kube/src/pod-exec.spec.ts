/** Commands in containers, with a server that sends what a test gives it. A real kubelet: `apps/cli/src/history/operator-recordings.e2e-ci.spec.ts`. */
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { Readable } from 'node:stream';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ClusterAccess } from './cluster-access.ts';
import { createKubeClient } from './http-client.ts';
import { ExecError, execInPod } from './pod-exec.ts';

type Frame = readonly [channel: number, text: string];

const SUCCESS: Frame = [3, '{"kind":"Status","status":"Success"}'];

/** An unmasked binary frame of a server (RFC 6455). */
function frameOf([channel, text]: Frame): Buffer {
  const payload = Buffer.concat([Buffer.from([channel]), Buffer.from(text)]);
  const head = payload.length < 126 ? Buffer.from([0x82, payload.length]) : Buffer.from([0x82, 126, 0, 0]);
  if (payload.length >= 126) head.writeUInt16BE(payload.length, 2);
  return Buffer.concat([head, payload]);
}

/** @param frames undefined: the server refuses with this status */
async function execServer(frames: readonly Frame[] | { readonly code: number; readonly body: object }) {
  const upgrades: IncomingMessage[] = [];
  const refusal =
    'code' in frames ? frames : { code: 400, body: { kind: 'Status', reason: 'BadRequest', message: 'no upgrade' } };
  const text = JSON.stringify(refusal.body);
  const server = createServer((_request, response) => response.writeHead(refusal.code).end(text));
  server.on('upgrade', (request, socket) => {
    upgrades.push(request);
    if ('code' in frames)
      return void socket.end(`HTTP/1.1 ${frames.code} No\r\ncontent-length: ${text.length}\r\n\r\n${text}`);
    const key = `${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`;
    const accept = createHash('sha1').update(key).digest('base64');
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-accept: ${accept}\r\n` +
        'sec-websocket-protocol: v4.channel.k8s.io\r\n\r\n',
    );
    for (const frame of frames) socket.write(frameOf(frame));
    socket.end(Buffer.from([0x88, 0]));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const access: ClusterAccess = {
    server: `http://127.0.0.1:${port}`,
    namespace: 'default',
    headers: () => Promise.resolve({ authorization: 'Bearer token', 'impersonate-group': ['a', 'b'] }),
    tls: () => Promise.resolve({}),
    refresh: () => {},
  };
  const client = createKubeClient(access, { userAgent: 'spec/1' });
  onTestFinished(async () => {
    await client.close();
    server.closeAllConnections();
    server.close();
  });
  const request = { namespace: 'team', pod: 'a', container: 'main', command: ['sh', '-c', 'cat "$1"'] };
  const output = async () => (await buffer(Readable.from(execInPod(access, client, request)))).toString();
  return { upgrades, output };
}

describe('execInPod', () => {
  it('returns the standard output, however it is split', async () => {
    const long = 'x'.repeat(40_000);
    const { upgrades, output } = await execServer([[1, 'one '], [2, 'warning'], [1, long], [1, ''], SUCCESS]);
    expect(await output()).toBe(`one ${long}`);
    const [{ url = '', headersDistinct: headers }] = upgrades as [IncomingMessage];
    const { pathname, searchParams } = new URL(url, 'http://server');
    expect(pathname).toBe('/api/v1/namespaces/team/pods/a/exec');
    expect(searchParams.getAll('command')).toEqual(['sh', '-c', 'cat "$1"']);
    expect(searchParams.has('stdin')).toBe(false);
    expect(headers).toMatchObject({ authorization: ['Bearer token'], 'impersonate-group': ['a', 'b'] });
  });

  it('throws the exit code and the standard error of a command that fails', async () => {
    const causes = [{ reason: 'ExitCode', message: '2' }];
    const status = {
      kind: 'Status',
      status: 'Failure',
      reason: 'NonZeroExitCode',
      message: 'exit code 2',
      details: { causes },
    };
    const { output } = await execServer([
      [2, 'no such file'],
      [3, JSON.stringify(status)],
    ]);
    const error = await output().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ExecError);
    expect(error).toMatchObject({ exitCode: 2, stderr: 'no such file', message: 'exec in pod team/a: exit code 2' });
  });

  it('throws the reason of a refusal, which a WebSocket hides', async () => {
    const body = { kind: 'Status', reason: 'Forbidden', message: 'ann cannot create pods/exec', code: 403 };
    const { output } = await execServer({ code: 403, body });
    await expect(output()).rejects.toMatchObject({ name: 'KubeError', reason: 'Forbidden' });
  });

  it('throws if the connection is closed before the command has ended', async () => {
    const { output } = await execServer([[1, 'half']]);
    await expect(output()).rejects.toMatchObject({
      reason: 'Unreachable',
      message: expect.stringContaining('closed before the command ended') as string,
    });
  });
});
