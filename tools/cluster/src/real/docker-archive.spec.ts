import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runCommand } from '../run-command.ts';
import { dockerArchive, tarArchive } from './docker-archive.ts';

describe('docker-archive', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'muster-archive-'));
  });

  afterEach(() => rmSync(folder, { recursive: true }));

  const unpack = async (archive: Buffer, name: string) => {
    writeFileSync(join(folder, name), archive);
    await runCommand('tar', ['-xf', join(folder, name), '-C', folder]);
  };

  it('is a tar that tar can read, modes included', async () => {
    await unpack(
      tarArchive([
        { path: 'a', content: 'x'.repeat(600), mode: 0o755 },
        { path: 'b', content: '' },
      ]),
      'plain.tar',
    );
    expect(readFileSync(join(folder, 'a'), 'utf8')).toBe('x'.repeat(600));
    const { stdout } = await runCommand('tar', ['-tvf', join(folder, 'plain.tar')]);
    expect(stdout).toMatch(/^-rwxr-xr-x 0\/0/);
  });

  it('describes one layer by its digest', async () => {
    const archive = dockerArchive({ reference: 'a/b:1', files: [{ path: 'b', content: 'hi' }], entrypoint: ['/b'] });
    await unpack(archive, 'image.tar');
    const [manifest] = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) as [
      { RepoTags: string[]; Layers: [string] },
    ];
    const configuration = JSON.parse(readFileSync(join(folder, 'config.json'), 'utf8')) as {
      rootfs: { diff_ids: string[] };
    };
    const digest = createHash('sha256')
      .update(readFileSync(join(folder, manifest.Layers[0])))
      .digest('hex');
    expect(manifest.RepoTags).toEqual(['a/b:1']);
    expect(configuration.rootfs.diff_ids).toEqual([`sha256:${digest}`]);
  });

  it('gives the same bytes for the same content', () => {
    const image = { reference: 'a/b:1', files: [{ path: 'b', content: 'hi' }], entrypoint: ['/b'] };
    expect(dockerArchive(image).equals(dockerArchive(image))).toBe(true);
  });
});
