import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makePrivateFolders, removePrivateFolders } from './private-folders.ts';

describe('private-folders', () => {
  it('removes only folders that it created and that are still unused', () => {
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
