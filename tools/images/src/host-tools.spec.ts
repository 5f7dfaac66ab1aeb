import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { silentProgress } from '@muster/cluster';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { debianKeyring } from './host-tools.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'muster-keyring-'));
});
afterEach(async () => {
  vi.restoreAllMocks();
  await rm(folder, { recursive: true });
});

it("finds Debian's keys under either name", async () => {
  const files = [join(folder, 'keys.gpg'), join(folder, 'keys.pgp')];
  await writeFile(files[1]!, 'keys');
  expect(await debianKeyring(silentProgress, files)).toBe(files[1]);
});

it('builds no Debian without its keys: an unchecked mirror could put anything into an image', async () => {
  vi.spyOn(process, 'getuid').mockReturnValue(1000);
  await expect(debianKeyring(silentProgress, [join(folder, 'keys.gpg')])).rejects.toThrow(
    'install debian-archive-keyring',
  );
});
