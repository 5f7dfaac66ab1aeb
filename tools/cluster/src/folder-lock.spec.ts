import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { withLock } from './folder-lock.ts';

describe('folder-lock', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'muster-lock-'));
  });

  afterEach(() => rmSync(folder, { recursive: true }));

  it('lets one caller work at a time and leaves no file', async () => {
    const file = join(folder, 'lock');
    const seen: string[] = [];
    const work = (name: string) =>
      withLock(file, {}, async () => {
        seen.push(`${name} begins`);
        await new Promise((resolve) => setImmediate(resolve));
        seen.push(`${name} ends`);
      });
    await Promise.all([work('one'), work('two')]);
    expect(seen).toEqual(['one begins', 'one ends', 'two begins', 'two ends']);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('takes over a lock whose holder has ended', async () => {
    const file = join(folder, 'lock');
    writeFileSync(file, JSON.stringify({ pid: process.pid, startTime: 'another life' }));
    await expect(withLock(file, {}, () => Promise.resolve('done'))).resolves.toBe('done');
    expect(readdirSync(folder)).toEqual([]);
  });

  it('is released if the work fails', async () => {
    const file = join(folder, 'lock');
    await expect(withLock(file, {}, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(existsSync(file)).toBe(false);
  });

  it("stops waiting when it is aborted, and does not release the holder's lock", async () => {
    const file = join(folder, 'lock');
    const controller = new AbortController();
    await withLock(file, {}, async () => {
      const waiting = withLock(file, { signal: controller.signal, onWait: () => controller.abort() }, () =>
        Promise.resolve(),
      );
      await expect(waiting).rejects.toThrow(/abort/);
      expect(existsSync(file)).toBe(true);
    });
  });
});
