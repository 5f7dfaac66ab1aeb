/** Scripts of a cluster's pods, run by bash with a fake `ray` and a health server. */
import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { clusterOf, headOf, templateSpec, workersOf } from '../../test-support/cluster-models.ts';
import { rayPodSpec } from './ray-pod.ts';

interface Ended {
  readonly code: number | null;
  readonly output: string;
}

/** Bash with `folder` first in its PATH. */
async function bash(script: string, folder: string): Promise<Ended> {
  const child = spawn('bash', ['-c', '--', script], {
    env: { ...process.env, PATH: `${folder}:${process.env['PATH']}` },
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  return { code, output };
}

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ray-scripts-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

function command(name: string, script: string): void {
  const file = join(folder, name);
  writeFileSync(file, `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o755);
}

describe('the init container that waits for the head', () => {
  const ADDRESS = 'demo-head-svc.team.svc.cluster.local:6380';

  /** With a separate termination log. */
  async function wait(annotations: Record<string, string> = {}): Promise<Ended & { lastWord: string }> {
    const log = join(folder, 'termination-log');
    const cluster = clusterOf({ annotations, head: { rayStartParams: { port: '6380' } } });
    const { initContainers } = rayPodSpec(cluster, workersOf(cluster), templateSpec(workersOf(cluster)));
    const ended = await bash(initContainers![0]!.args![0]!.replaceAll('/dev/termination-log', log), folder);
    return { ...ended, lastWord: readFileSync(log, 'utf8') };
  }

  it('ends when Ray reports that the GCS is healthy, at the head’s address', async () => {
    command('ray', `echo "$@" > ${folder}/arguments`);
    const { code, output } = await wait();
    expect(code).toBe(0);
    expect(output).toContain(`The GCS at ${ADDRESS} is ready`);
    expect(readFileSync(join(folder, 'arguments'), 'utf8')).toBe(`health-check --address ${ADDRESS}\n`);
  });

  it('waits while it is not', async () => {
    command('ray', `test -e ${folder}/second || { touch ${folder}/second; exit 1; }`);
    command('sleep', 'exit 0');
    const { code, output } = await wait();
    expect(code).toBe(0);
    expect(output).toContain(`has not answered at ${ADDRESS}`);
  });

  it("fails after the cluster's time limit, and reports the address and Ray's last message", async () => {
    command('ray', 'echo "some output"; echo "no such host" >&2; exit 1');
    command('sleep', 'exit 0');
    const { code, output, lastWord } = await wait({ 'muster.dev/ray-gcs-wait-seconds': '1' });
    expect(code).toBe(1);
    expect(output).toContain('some output');
    expect(lastWord).toMatch(
      /^Gave up: The GCS of the Ray head has not answered at demo-head-svc\.team\.svc\.cluster\.local:6380 for \d+ seconds\. no such host\n$/,
    );
  });
});

describe('the probes of older Ray', () => {
  const servers: Server[] = [];
  afterEach(() => {
    servers.splice(0).forEach((server) => server.close());
  });

  /** A server with an answer for each path; it keeps connections open, as Ray may. */
  async function serve(answers: Record<string, string>): Promise<string> {
    const server = createServer(({ url = '' }, response) => {
      const answer = answers[url];
      response.writeHead(answer === undefined ? 404 : 200).end(answer ?? 'not found');
    });
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
    return String((server.address() as AddressInfo).port);
  }

  function probe(agent: string, dashboard: string): Promise<Ended> {
    const rayStartParams = { 'dashboard-agent-listen-port': agent, 'dashboard-port': dashboard };
    const cluster = clusterOf({ head: { rayStartParams } });
    const [ray] = rayPodSpec(cluster, headOf(cluster), templateSpec(headOf(cluster))).containers;
    return bash(ray!.readinessProbe!.exec!.command![2]!, folder);
  }

  const RAYLET = { '/api/local_raylet_healthz': 'success' };
  const GCS = { '/api/gcs_healthz': 'success' };

  it('succeed if the raylet and the GCS are healthy', async () => {
    expect((await probe(await serve(RAYLET), await serve(GCS))).code).toBe(0);
  });

  it.each<[string, Record<string, string>, Record<string, string>]>([
    ['the raylet', { '/api/local_raylet_healthz': 'local raylet failed' }, GCS],
    ['the GCS', RAYLET, { '/api/gcs_healthz': 'GCS is down' }],
    ['a missing endpoint', RAYLET, {}],
  ])('fail for %s', async (_case, raylet, gcs) => {
    expect((await probe(await serve(raylet), await serve(gcs))).code).toBe(1);
  });

  it('fail without a listener', async () => {
    const port = await serve(GCS);
    await new Promise((resolve) => servers[0]!.close(resolve));
    expect((await probe(port, port)).code).toBe(1);
  });
});
