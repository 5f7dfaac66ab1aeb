/** The bundle as an image would run it: one file, started by Node, against a real API server. */
import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { crdFor, pytorchJobDefinition } from '@muster/job-api';
import { eventually, installCrd, testCluster } from '@muster/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundle, frameworks } from './bundle.ts';

const cluster = await testCluster();

let folder: string;
let file: string;
let child: ChildProcessByStdio<null, Readable, Readable> | undefined;

beforeAll(async () => {
  await installCrd(cluster.client, crdFor(pytorchJobDefinition));
  // Away from the workspace, where no node_modules can be found.
  folder = await mkdtemp(join(tmpdir(), 'muster-bundle-'));
  file = join(folder, 'main.cjs');
  await copyFile((await bundle('pytorch-elastic')).file, file);
});

afterAll(async () => {
  child?.kill('SIGKILL');
  await rm(folder, { recursive: true });
});

describe('bundle', () => {
  it('knows the operators of the workspace, and no others', async () => {
    expect(await frameworks()).toContain('pytorch-elastic');
    expect(await frameworks()).not.toContain('cli');
    await expect(bundle('pytorch')).rejects.toThrow('unknown framework "pytorch"; known are: pytorch-elastic');
  });

  it('makes a file that is a whole operator: ready, measured, and gone with 0 on SIGTERM', async () => {
    const namespace = await cluster.namespace();
    const flags = ['--port', '0', '--namespace', namespace, '--leader-election-namespace', namespace];
    child = spawn(process.execPath, [file, ...flags], {
      stdio: ['ignore', 'pipe', 'pipe'],
      cwd: folder,
      env: { PATH: process.env['PATH'], KUBECONFIG: cluster.kubeconfig },
    });
    let written = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (written += chunk.toString()));
    const port = await eventually(() => /"message":"listening","port":(\d+)/.exec(written)?.[1], {
      withinMs: 30_000,
      describe: () => written,
    });
    const get = (path: string) => fetch(`http://127.0.0.1:${port}${path}`);
    await eventually(async () => (await get('/readyz')).ok, { withinMs: 30_000, describe: () => written });
    expect((await get('/healthz')).status).toBe(200);
    expect(await (await get('/metrics')).text()).toMatch(
      /^muster_build_info\{version=".+",framework="pytorch-elastic"\} 1$/m,
    );

    child.kill('SIGTERM');
    const [code] = (await once(child, 'exit')) as [number | null];
    expect(code).toBe(0);
    expect(written).toContain('"message":"shutting down"');
    expect(written).not.toContain('"level":"error"');
  });
});
