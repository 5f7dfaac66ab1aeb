/** An operator's published image, built from the Dockerfile by buildah, compared with the image of local clusters. */
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { bundle } from '@muster/bundle';
import { runCommand, silentProgress } from '@muster/cluster';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { buildImage } from './build-image.ts';
import { buildOperatorArchive, type OperatorArchive } from './build-operator-archive.ts';
import { operatorImage } from './definitions/operator.ts';
import { imageCacheFolder } from './layer-store.ts';
import { unpackLayer } from './pack-layer.ts';
import { runInSandbox } from './sandbox.ts';

const WORKSPACE = fileURLToPath(new URL('../../..', import.meta.url));
const MOST_BYTES = 100e6;
/** No day: each run downloads the packages again. */
const UPDATES_OF = `test-${Date.now()}`;

interface Config {
  config: {
    User: string;
    Entrypoint: string[];
    Env: string[];
    WorkingDir: string;
    Cmd?: string[] | null;
    Labels: object;
  };
}

let folder: string;
let archive: OperatorArchive;
let config: Config['config'];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'muster-operator-image-test-'));
  await bundle('mpi');
  archive = await buildOperatorArchive({
    workspace: WORKSPACE,
    framework: 'mpi',
    version: '1.2.3',
    archive: join(folder, 'made/image.tar'),
    updatesOf: UPDATES_OF,
    progress: silentProgress,
  });
  config = await unpackArchive();
});

afterAll(() => rm(folder, { recursive: true, force: true }));

/** Extracts the archive's layers into `published`; returns how containers of the image start. */
async function unpackArchive(): Promise<Config['config']> {
  const layout = join(folder, 'layout');
  const root = join(folder, 'published');
  await Promise.all([mkdir(layout), mkdir(root)]);
  await runCommand('tar', ['-C', layout, '-xf', archive.file]);
  const blob = (digest: string) => join(layout, 'blobs/sha256', digest.replace('sha256:', ''));
  const read = async (file: string): Promise<unknown> => JSON.parse(await readFile(file, 'utf8'));
  const index = (await read(join(layout, 'index.json'))) as { manifests: [{ digest: string }] };
  const manifest = (await read(blob(index.manifests[0].digest))) as {
    config: { digest: string };
    layers: { digest: string }[];
  };
  for (const { digest } of manifest.layers) await runCommand('tar', ['-C', root, '-xpzf', blob(digest)]);
  return ((await read(blob(manifest.config.digest))) as Config).config;
}

/** Every file with its size and owner, and the targets of links. */
async function filesIn(root: string): Promise<string[]> {
  const { stdout } = await runCommand('find', ['.', '!', '-type', 'd', '-printf', '%p %s %U:%G %l\n'], { cwd: root });
  return stdout.trim().split('\n').sort();
}

/** The output of a shell command in a container of the image, with a read-only root file system. */
async function runAsPublished(command: string): Promise<string> {
  const log = join(folder, 'run.log');
  await rm(log, { force: true });
  const script = `
mount --bind "$ROOT" "$ROOT"
mount -o remount,bind,ro "$ROOT"
chroot --userspec "$CONTAINER_USER" "$ROOT" /usr/bin/env -i ${config.Env.join(' ')} /bin/sh -c 'cd ${config.WorkingDir} && ${command}'
`;
  await runInSandbox({ script, variables: { ROOT: join(folder, 'published'), CONTAINER_USER: config.User }, log });
  return readFile(log, 'utf8');
}

describe("an operator's published image", () => {
  it('is small', () => {
    console.log(`${archive.reference}: ${(archive.bytes / 1e6).toFixed(1)} MB`);
    expect(archive.bytes).toBeLessThan(MOST_BYTES);
    expect(archive.reference).toBe('muster.local/mpi-operator:1.2.3');
  });

  it('runs as an unprivileged user and writes nothing', async () => {
    expect(config.User).toBe('65532:65532');
    const help = await runAsPublished(`id -u; touch /tmp/x || true; ${config.Entrypoint.join(' ')} --help`);
    expect(help).toMatch(/^65532\n/);
    expect(help).toContain('Read-only file system');
    expect(help).toContain('Usage: muster operator mpi');
  });

  it("has Debian's security updates, and a label with its version of Node.js", async () => {
    const log = await readFile(join(imageCacheFolder(), 'logs/base.log'), 'utf8');
    expect(log).toMatch(/^Get:\d+ \S+ trixie-security InRelease/m);
    expect(log).toMatch(/^\d+ upgraded, /m);
    expect(await runAsPublished('node --version')).toBe(`v${archive.nodeVersion}\n`);
  });

  it('holds Node.js, the operator and the licenses of both', async () => {
    const files = (await filesIn(join(folder, 'published'))).map((line) => line.split(' ')[0]);
    expect(files.filter((file) => file?.startsWith('./opt/'))).toEqual(
      ['LICENSE', 'THIRD-PARTY-LICENSES', 'main.cjs', 'operator.cjs', 'operator.cjs.map', 'package.json'].map(
        (name) => `./opt/muster/operator/${name}`,
      ),
    );
    expect(files).toContain('./usr/share/doc/nodejs/copyright');
    const licenses = await readFile(join(folder, 'published/opt/muster/operator/THIRD-PARTY-LICENSES'), 'utf8');
    expect(licenses).toMatch(/^@nestjs\/core [\d.]+ \(MIT\)$/m);
    expect(licenses).toMatch(/^undici [\d.]+ \(MIT\)$/m);
  });

  it('equals the image of local clusters, with the updates of its day', async () => {
    const definition = operatorImage({ framework: 'mpi', version: '1.2.3', folder: join(WORKSPACE, 'dist/mpi') });
    const local = await buildImage(definition, { progress: silentProgress, updatesOf: UPDATES_OF });
    const root = join(folder, 'local');
    await mkdir(root);
    for (const layer of local.layerFiles) await unpackLayer(layer, root);
    expect(await filesIn(join(folder, 'published'))).toEqual(await filesIn(root));

    const other = (JSON.parse(local.config.content) as Config).config;
    const compared = ({ User, Entrypoint, Env, WorkingDir, Cmd, Labels }: Config['config']) => ({
      ...{ User, Entrypoint, Env: [...Env].sort(), WorkingDir, Cmd: Cmd ?? [] },
      Labels: Object.fromEntries(Object.entries(Labels).filter(([name]) => !name.startsWith('io.buildah.'))),
    });
    expect(compared(config)).toEqual(compared(other));
  });

  it('is the same whenever it is built', async () => {
    const again = await buildOperatorArchive({
      workspace: WORKSPACE,
      framework: 'mpi',
      version: '1.2.3',
      archive: join(folder, 'again.tar'),
      updatesOf: UPDATES_OF,
      progress: silentProgress,
    });
    const indexOf = async (file: string) => (await runCommand('tar', ['-xOf', file, 'index.json'])).stdout;
    expect(await indexOf(again.file)).toBe(await indexOf(archive.file));
  });
});
