import { mkdtempSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { linkPrograms } from './link-programs.ts';

let folder: string;

beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'muster-programs-'))));
afterEach(() => rmSync(folder, { recursive: true }));

it('adds programs to the PATH of a cluster, and replaces earlier ones of the same name', () => {
  const binDir = join(folder, 'bin');
  linkPrograms({ binDir }, { kubectl: '/cache/kubectl', muster: '/old/muster' });
  linkPrograms({ binDir }, { muster: '/clone/muster', helm: '/cache/helm-4' });
  const links = ['kubectl', 'muster', 'helm'].map((name) => readlinkSync(join(binDir, name)));
  expect(links).toEqual(['/cache/kubectl', '/clone/muster', '/cache/helm-4']);
});
