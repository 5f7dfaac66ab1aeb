/** The bundle as an image would run it: one file, started by Node, against a real API server. */
import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { crdFor, pytorchJobDefinition } from '@muster/job-api';
import { eventually, installCrd, testCluster } from '@muster/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Bundle, bundle, frameworks } from './bundle.ts';

const cluster = await testCluster();

let folder: string;
let file: string;
let made: Bundle;
let child: ChildProcessByStdio<null, Readable, Readable> | undefined;

beforeAll(async () => {
  await installCrd(cluster.client, crdFor(pytorchJobDefinition));
  // Away from the workspace, where no node_modules can be found.
  folder = await mkdtemp(join(tmpdir(), 'muster-bundle-'));
  file = join(folder, 'main.cjs');
  made = await bundle('pytorch-elastic');
  for (const part of ['main.cjs', 'operator.cjs']) await copyFile(join(dirname(made.file), part), join(folder, part));
});

afterAll(async () => {
  child?.kill('SIGKILL');
  await rm(folder, { recursive: true });
});

describe('bundle', () => {
  it('knows the operators of the workspace, and no others', async () => {
    expect(await frameworks()).toContain('pytorch-elastic');
    expect(await frameworks()).not.toContain('cli');
    await expect(bundle('pytorch')).rejects.toThrow(
      'unknown framework "pytorch"; known are: mxnet, pytorch-elastic, tensorflow',
    );
  });

  it('holds no package twice in the same version', async () => {
    const inputs = Object.keys(made.metafile.inputs);
    const folders = new Set(inputs.flatMap((input) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0] ?? []));
    const identities = await Promise.all([...folders].map(identityOf));
    const twice = identities.filter((identity, at) => identities.indexOf(identity) !== at);
    expect(identities.length).toBeGreaterThan(20);
    expect(twice).toEqual([]);
  });

  it('leaves out what no operator uses: the models of the Kubernetes API, and file uploads', () => {
    const inputs = Object.keys(made.metafile.inputs).join('\n');
    expect(inputs).toContain('@nestjs/platform-express');
    expect(inputs).not.toContain('client-node/dist/gen/models');
    expect(inputs).not.toContain('node_modules/multer');
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

/** Of a package in the workspace's own folder, which is where the paths in a metafile begin. */
async function identityOf(folder: string): Promise<string> {
  const manifest = new URL(`../../../${folder}/package.json`, import.meta.url);
  const { name, version } = JSON.parse(await readFile(manifest, 'utf8')) as { name: string; version: string };
  return `${name}@${version}`;
}
