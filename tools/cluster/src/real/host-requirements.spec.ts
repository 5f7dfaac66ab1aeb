import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkHost } from './host-requirements.ts';
import { makePrivateFolders, removePrivateFolders } from './private-folders.ts';

describe('host-requirements', () => {
  it('refuses other systems than Linux and says what works there', () => {
    expect(() => checkHost({ platform: 'darwin', uid: 501 })).toThrow(/needs Linux: use "--node simulated"/);
  });

  it('asks other users than root to use sudo', () => {
    expect(() => checkHost({ platform: 'linux', uid: 1000 })).toThrow(/sudo -E/);
  });

  it('is content with root on Linux', () => {
    expect(() => checkHost({ platform: 'linux', uid: 0 })).not.toThrow();
  });
});

describe('private-folders', () => {
  it('removes the folders it made, unless somebody uses them by now, and no others', () => {
    const root = mkdtempSync(join(tmpdir(), 'muster-folders-'));
    const [made, used, found] = ['made', 'used', 'found'].map((name) => join(root, name)) as [string, string, string];
    mkdirSync(found);
    makePrivateFolders([made, used, found]);
    writeFileSync(join(used, 'file'), '');
    removePrivateFolders([made, used, found]);
    expect([made, used, found].map((folder) => existsSync(folder))).toEqual([false, true, true]);
    rmSync(root, { recursive: true });
  });
});
