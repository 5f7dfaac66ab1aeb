import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect, createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { OperatorProcess } from '../fixtures/operator-process.ts';

const APP = fileURLToPath(new URL('../fixtures/stand-in-app.ts', import.meta.url));
/** Starting a process is slow on a busy machine. */
/** Immediate on an idle machine. */
const SOON_MS = 30_000;

let folder: string;
const started: OperatorProcess[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'muster-host-'));
  await writeFile(
    join(folder, 'kubeconfig'),
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: 'c', cluster: { server: 'http://127.0.0.1:1' } }],
      contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
      users: [{ name: 'u', user: { token: 't' } }],
      'current-context': 'c',
    }),
  );
});

afterEach(async () => {
  for (const operator of started.splice(0)) {
    operator.kill('SIGKILL');
    await operator.ended();
  }
});

afterAll(() => rm(folder, { recursive: true }));

function start(...args: string[]): OperatorProcess {
  const operator = new OperatorProcess(APP, args, { KUBECONFIG: join(folder, 'kubeconfig') });
  started.push(operator);
  return operator;
}

/** Polled: on a busy machine the first answer may report event loop lag. */
async function becomesAlive(operator: OperatorProcess): Promise<void> {
  await vi.waitFor(async () => expect(await operator.get('/healthz')).toMatchObject({ status: 200 }), {
    timeout: SOON_MS,
  });
}

describe('an operator process', () => {
  it('answers its probes and metrics, logs ready once, and exits 0 on SIGTERM after draining', async () => {
    const operator = start('--port', '0');
    await becomesAlive(operator);
    expect(await operator.get('/readyz')).toMatchObject({ status: 200 });
    const { status, body } = await operator.get('/metrics');
    expect(status).toBe(200);
    expect(body).toContain('muster_build_info{version="0.1.0",framework="stand-in"} 1');
    expect(body).toContain('process_resident_memory_bytes');
    await vi.waitFor(() => expect(operator.log.map(({ message }) => message)).toContain('ready'), { timeout: SOON_MS });
    operator.kill('SIGTERM');
    expect(await operator.ended()).toBe(0);
    expect(operator.log.map(({ message }) => message)).toEqual([
      'listening',
      'started',
      'ready',
      'shutting down',
      'drained',
    ]);
  });

  it('answers while it drains, but is not ready', async () => {
    const operator = start('--port', '0', '--drain', '10m', '--shutdown-timeout', '10m');
    await operator.url();
    operator.kill('SIGTERM');
    await vi.waitFor(async () => expect(await operator.get('/readyz')).toMatchObject({ status: 503 }), {
      timeout: SOON_MS,
    });
    expect((await operator.get('/readyz')).body).toContain('the operator is shutting down');
    await becomesAlive(operator);
    expect(await operator.get('/metrics')).toMatchObject({ status: 200 });
  });

  it('is alive but not ready while there is a problem, and logs it once', async () => {
    const operator = start('--port', '0', '--problem', 'the CRD is missing: install it');
    const { status, body } = await operator.get('/readyz');
    expect(status).toBe(503);
    expect(JSON.parse(body)).toMatchObject({ error: { caches: { problems: ['the CRD is missing: install it'] } } });
    await becomesAlive(operator);
    const warning = { level: 'warn', message: 'not ready: the CRD is missing: install it' };
    await vi.waitFor(() => expect(operator.log).toContainEqual(expect.objectContaining(warning)), { timeout: SOON_MS });
    operator.kill('SIGTERM');
    expect(await operator.ended()).toBe(0);
    expect(operator.log.filter(({ level }) => level === 'warn')).toHaveLength(1);
  });

  it('drains on SIGINT as well', async () => {
    const operator = start('--port', '0');
    await operator.url();
    operator.kill('SIGINT');
    expect(await operator.ended()).toBe(0);
  });

  it('counts one Ctrl-C that arrives twice, from the terminal and from npm, as one signal', async () => {
    const operator = start('--port', '0', '--drain', '300ms');
    await operator.url();
    operator.kill('SIGINT');
    operator.kill('SIGINT');
    expect(await operator.ended()).toBe(0);
    expect(operator.log.at(-1)).toMatchObject({ message: 'drained' });
  });

  it('exits 1 at once upon a second signal later', async () => {
    const operator = start('--port', '0', '--drain', '1h');
    await operator.url();
    // Repeated until one counts as a second signal.
    const signals = setInterval(() => operator.kill('SIGTERM'), 100);
    expect(await operator.ended()).toBe(1);
    clearInterval(signals);
    expect(operator.log.at(-1)).toMatchObject({ level: 'warn', message: 'second signal: exiting without draining' });
  });

  it('exits 1 when the drain exceeds its deadline by far', async () => {
    const operator = start('--port', '0', '--drain', '1h', '--shutdown-timeout', '100ms');
    await operator.url();
    operator.kill('SIGTERM');
    expect(await operator.ended()).toBe(1);
    expect(operator.log.at(-1)).toMatchObject({
      level: 'error',
      shutdownTimeoutMs: 100,
      waitingFor: 'the operator',
    });
  });

  it.each([
    ['sends nothing', ''],
    ['has sent half a request', 'GET /metrics HTTP/1.1\r\n'],
    ['is kept alive for the next request', 'GET /metrics HTTP/1.1\r\nHost: operator\r\n\r\n'],
  ])('does not wait for a connection that %s', async (_what, written) => {
    const operator = start('--port', '0');
    const socket = connect(Number(new URL(await operator.url()).port), '127.0.0.1');
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    socket.write(written);
    // The probe is answered after the connection was accepted.
    await becomesAlive(operator);
    operator.kill('SIGTERM');
    expect({ end: await operator.ended(), last: operator.log.at(-1) }).toMatchObject({
      end: 0,
      last: { message: 'drained' },
    });
    socket.destroy();
  });

  it('exits 1 at once when it loses the Lease', async () => {
    const operator = start('--port', '0', '--lead=false');
    expect(await operator.ended()).toBe(1);
    expect(operator.log.map(({ message }) => message)).not.toContain('drained');
  });

  it('reports in one line that the port is in use', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const port = String((other.address() as AddressInfo).port);
    const operator = start('--port', port, '--host', '127.0.0.1');
    expect(await operator.ended()).toBe(1);
    expect(operator.log).toMatchObject([
      { level: 'error', message: `--port ${port}: the port is in use; choose another (0 takes any free one).` },
    ]);
    expect(operator.lines).toHaveLength(1);
    other.close();
  });

  it('reports in one line that the address does not belong to this machine', async () => {
    const operator = start('--port', '0', '--host', '192.0.2.1');
    expect(await operator.ended()).toBe(1);
    expect(operator.lines).toHaveLength(1);
    expect(operator.lines[0]).toContain('--host 192.0.2.1: cannot listen there');
  });

  it('reports in one line that the kubeconfig is missing', async () => {
    const operator = start('--port', '0', '--kubeconfig', join(folder, 'no-such-file'));
    expect(await operator.ended()).toBe(1);
    expect(operator.lines).toHaveLength(1);
    expect(operator.lines[0]).toContain('no-such-file');
  });

  it('reports in one line an error that only its framework detects', async () => {
    const operator = start('--port', '0', '--mistake', 'the file is empty');
    expect(await operator.ended()).toBe(1);
    expect(operator.log).toMatchObject([{ level: 'error', message: 'the file is empty' }]);
    expect(operator.lines).toHaveLength(1);
  });

  it('reports in one line an invalid flag', async () => {
    const operator = start('--port', 'http');
    expect(await operator.ended()).toBe(1);
    expect(operator.lines).toEqual([
      "error: option '--port <number>' argument 'http' is invalid. Expected a whole number from 0 to 65535.",
    ]);
  });

  it('prints its flags for --help and exits 0', async () => {
    const operator = start('--help');
    expect(await operator.ended()).toBe(0);
    expect(operator.lines.join('\n')).toContain('--drain <duration>');
  });
});
