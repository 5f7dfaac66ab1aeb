import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { zstdDecompressSync } from 'node:zlib';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { packLayer, unpackLayer } from './pack-layer.ts';
import { writeWhiteouts } from './whiteouts.ts';

const sha256 = (bytes: Buffer): string => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

// Packing needs GNU tar and setpriv, which Linux has.
describe.runIf(process.platform === 'linux')('a packed layer', () => {
  let work: string;
  let content: string;
  let file: string;

  beforeEach(async () => {
    work = await mkdtemp(join(tmpdir(), 'muster-pack-'));
    content = join(work, 'content');
    file = join(work, 'layer');
    await mkdir(join(content, 'folder'), { recursive: true });
    await writeFile(join(content, 'folder', 'text'), 'hello');
    await writeFile(join(content, 'program'), '#!/bin/sh\n');
    await chmod(join(content, 'program'), 0o700);
    await symlink('nowhere', join(content, 'link'));
  });
  afterEach(() => rm(work, { recursive: true }));

  it('has the digests and sizes of the blob and of the tar in it', async () => {
    const layer = await packLayer(content, file, 'normalized');
    const blob = await readFile(file);
    const tar = zstdDecompressSync(blob);
    expect(layer).toEqual({ digest: sha256(blob), size: blob.length, diffId: sha256(tar), unpackedSize: tar.length });
  });

  it('is the same for every user and time', async () => {
    const first = await packLayer(content, file, 'normalized');
    await utimes(join(content, 'program'), 1, 1);
    await chmod(join(content, 'folder'), 0o700);
    expect(await packLayer(content, file, 'normalized')).toEqual(first);
  });

  it('belongs to root, is readable by all and keeps programs executable, when normalized', async () => {
    await packLayer(content, file, 'normalized');
    const tar = join(work, 'tar');
    await writeFile(tar, zstdDecompressSync(await readFile(file)));
    const { stdout } = await promisify(execFile)('tar', ['--numeric-owner', '-tvf', tar]);
    expect(stdout).toMatch(/^-rwxr-xr-x 0\/0 .* \.\/program$/m);
    expect(stdout).toMatch(/^-rw-r--r-- 0\/0 .* \.\/folder\/text$/m);
  });

  it('unpacks to the packed files', async () => {
    await packLayer(content, file, 'kept');
    const copy = join(work, 'copy');
    await mkdir(copy);
    await unpackLayer(file, copy);
    expect(await readFile(join(copy, 'folder', 'text'), 'utf8')).toBe('hello');
    expect((await stat(join(copy, 'program'))).mode & 0o777).toBe(0o700);
    expect((await readdir(copy)).sort()).toEqual(['folder', 'link', 'program']);
  });

  it('deletes files of the layers below it', async () => {
    const upper = join(work, 'upper');
    await mkdir(join(upper, 'folder'), { recursive: true });
    await writeWhiteouts(upper, ['program', 'folder/text', 'gone', 'gone/with-its-folder']);
    expect(await readdir(upper)).toEqual(expect.arrayContaining(['.wh.program', '.wh.gone', 'folder']));
    await packLayer(upper, file, 'normalized');
    await mkdir(join(content, 'gone'));
    await unpackLayer(file, content);
    expect((await readdir(content)).sort()).toEqual(['folder', 'link']);
    expect(await readdir(join(content, 'folder'))).toEqual([]);
  });

  it('fails with the output of tar', async () => {
    await expect(packLayer(join(work, 'none'), file, 'kept')).rejects.toThrow(/packing .*none failed: .*none/s);
  });
});
