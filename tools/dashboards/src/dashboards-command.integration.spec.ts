import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { createServer, type IncomingMessage, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { eventually } from '@muster/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { metricValue } from '../test-support/metric-value.ts';

const CLI = join(import.meta.dirname, '../../../apps/cli/bin/muster.js');

/** The response of an operator to a scrape. */
const METRICS = '# TYPE muster_build_info gauge\nmuster_build_info{version="1",framework="mpi"} 1\n';

describe('muster dashboards', () => {
  let folder: string;
  let operator: Server;
  let target: string;
  const children: ChildProcess[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'muster-dashboards-'));
    operator = createServer((_request, response) => response.end(METRICS)).listen(0, '127.0.0.1');
    await once(operator, 'listening');
    target = `http://127.0.0.1:${(operator.address() as AddressInfo).port}`;
  });
  afterEach(() => children.splice(0).forEach((child) => child.kill('SIGKILL')));
  afterAll(async () => {
    operator.close();
    await rm(folder, { recursive: true });
  });

  /** Temporary files go to the folder of this test. */
  function start(...args: string[]) {
    const env = { ...process.env, TMPDIR: folder, KUBECONFIG: '/nowhere/kubeconfig' };
    const child = spawn(process.execPath, [CLI, 'dashboards', ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    children.push(child);
    const ended = once(child, 'close').then(([code]) => code as number | null);
    return { child, ended, stdout: child.stdout, stderr: text(child.stderr) };
  }

  it('prints the address of the page, and stops everything that it started', async () => {
    const run = start('--target', target);
    const [line] = (await once(run.stdout.setEncoding('utf8'), 'data')) as [string];
    const url = line.trim();
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(await (await fetch(url)).text()).toContain('<title>Muster dashboards</title>');
    const settings = (await (await fetch(`${url}/api/settings`)).json()) as { dashboards: unknown[] };
    expect(settings.dashboards.length).toBeGreaterThan(0);
    const build = () => metricValue(`${url}/prometheus`, 'muster_build_info{framework="mpi"}');
    expect(await eventually(build, { withinMs: 60_000 })).toBe(1);
    const prometheus = prometheusOf(run.child.pid);
    expect(isRunning(prometheus)).toBe(true);
    run.child.kill('SIGINT');
    expect(await run.ended).toBe(130);
    expect(isRunning(prometheus)).toBe(false);
    expect(readdirSync(folder).filter((name) => name.startsWith('muster-prometheus-'))).toEqual([]);
  });

  it('forwards only queries to Prometheus, and only under its own host name', async () => {
    const run = start('--target', target);
    const [line] = (await once(run.stdout.setEncoding('utf8'), 'data')) as [string];
    const url = line.trim();
    expect((await fetch(`${url}/prometheus/api/v1/status/config`)).status).toBe(404);
    expect((await fetch(`${url}/prometheus/api/v1/query?query=1`, { method: 'POST' })).status).toBe(405);
    expect(await statusUnderName(url, 'rebound.example')).toBe(403);
    expect(await statusUnderName(url, 'localhost')).toBe(200);
    run.child.kill('SIGTERM');
    expect(await run.ended).toBe(143);
  });

  it.each([
    [
      'a port that is in use',
      () => ['--target', target, '--port', new URL(target).port],
      /Port \d+ is in use: choose another with --port/,
    ],
    ['no cluster', () => [], /There is no kubeconfig "\/nowhere\/kubeconfig".*--target/s],
    [
      'a Prometheus that does not respond',
      () => ['--prometheus', 'http://127.0.0.1:1'],
      /No Prometheus responds at http:\/\/127\.0\.0\.1:1/,
    ],
    [
      'a server that is not Prometheus',
      () => ['--prometheus', `${target}/`],
      /set --prometheus to the base URL of a Prometheus/,
    ],
  ])('reports what to do about %s', async (_what, args, message) => {
    await expectRefusal(args(), message, 1);
  });

  it.each<[string, string[], RegExp]>([
    ['an invalid address', ['--target', 'localhost'], /must be a URL such as/],
    ['an invalid duration', ['--scrape-interval', 'soon'], /must be a duration such as/],
    ['an invalid port', ['--port', '99999'], /must be a number from 0 to 65535/],
  ])('rejects %s as a usage error', async (_what, args, message) => {
    await expectRefusal(args, message, 2);
  });

  async function expectRefusal(args: readonly string[], message: RegExp, code: number): Promise<void> {
    const run = start(...args);
    expect(await run.ended).toBe(code);
    const output = await run.stderr;
    expect(output).toMatch(message);
    expect(output).not.toMatch(/^\s+at /m);
  }
});

/** PID of the Prometheus that a command started. */
function prometheusOf(parent: number | undefined): number {
  const lines = execFileSync('ps', ['-A', '-o', 'ppid=,pid=,comm='], { encoding: 'utf8' }).split('\n');
  const children = lines.map((line) => line.trim().split(/\s+/)).filter(([ppid]) => ppid === String(parent));
  return Number(children.find(([, , name]) => name === 'prometheus')?.[1]);
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** fetch cannot send another host name than that of the URL. */
async function statusUnderName(url: string, name: string): Promise<number | undefined> {
  const sent = request(url, { headers: { host: name } }).end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  response.resume();
  return response.statusCode;
}
