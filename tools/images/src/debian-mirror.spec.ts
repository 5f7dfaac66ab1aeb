import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { debianMirror, parseDeb822Sources, parseSourcesList, updatedSources } from './debian-mirror.ts';

const DEB822 = `Types: deb
# a comment
URIs: http://mirror.test/debian
Suites: bookworm bookworm-updates
Components: main

Types: deb deb-src
URIs:
  http://mirror.test/security
Suites: bookworm-security
Components: main

Enabled: no
Types: deb
URIs: http://off.test/debian
Suites: bookworm
`;

describe('apt sources', () => {
  it('in deb822 style: enabled binary stanzas, fields over several lines, no comments', () => {
    expect(parseDeb822Sources(DEB822)).toEqual([
      { uri: 'http://mirror.test/debian', suites: ['bookworm', 'bookworm-updates'] },
      { uri: 'http://mirror.test/security', suites: ['bookworm-security'] },
    ]);
  });

  it('in one-line style: deb lines, with or without options', () => {
    const text = `# deb http://off.test/debian bookworm main
deb-src http://mirror.test/debian bookworm main
deb [arch=amd64 signed-by=/usr/share/keyrings/x.gpg] http://mirror.test/debian bookworm main contrib
deb http://mirror.test/security bookworm-security main
`;
    expect(parseSourcesList(text)).toEqual([
      { uri: 'http://mirror.test/debian', suites: ['bookworm'] },
      { uri: 'http://mirror.test/security', suites: ['bookworm-security'] },
    ]);
  });
});

describe('the mirror', () => {
  let root: string;

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'muster-apt-'));
    await mkdir(join(root, 'etc/apt/sources.list.d'), { recursive: true });
    await writeFile(join(root, 'etc/os-release'), 'ID=debian\nVERSION_CODENAME=bookworm\n');
  });
  afterEach(() => rm(root, { recursive: true }));

  it("is the one that serves the machine's own release, not its security updates", async () => {
    await writeFile(join(root, 'etc/apt/sources.list.d/debian.sources'), DEB822);
    expect(await debianMirror({}, root)).toBe('http://mirror.test/debian');
  });

  it('is the one named in the environment, if any', async () => {
    expect(await debianMirror({ MUSTER_DEBIAN_MIRROR: 'http://chosen.test' }, root)).toBe('http://chosen.test');
  });

  it('serves updates, and another one security updates: images take both', async () => {
    await writeFile(join(root, 'etc/apt/sources.list.d/debian.sources'), DEB822);
    expect(await updatedSources('trixie', {}, root)).toEqual([
      'deb http://mirror.test/debian trixie main',
      'deb http://mirror.test/debian trixie-updates main',
      'deb http://mirror.test/security trixie-security main',
    ]);
  });

  it('of security updates is the one named in the environment, if any, and must be known', async () => {
    const env = { MUSTER_DEBIAN_MIRROR: 'http://chosen.test' };
    await expect(updatedSources('trixie', env, root)).rejects.toThrow('set MUSTER_DEBIAN_SECURITY_MIRROR');
    const both = { ...env, MUSTER_DEBIAN_SECURITY_MIRROR: 'http://security.test' };
    expect((await updatedSources('trixie', both, root)).at(-1)).toBe('deb http://security.test trixie-security main');
  });

  it('must be named on a machine that is not Debian', async () => {
    await writeFile(join(root, 'etc/os-release'), 'ID=ubuntu\nVERSION_CODENAME=bookworm\n');
    await writeFile(join(root, 'etc/apt/sources.list.d/debian.sources'), DEB822);
    await expect(debianMirror({}, root)).rejects.toThrow('set MUSTER_DEBIAN_MIRROR');
  });
});
