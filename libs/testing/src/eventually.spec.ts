import { describe, expect, it } from 'vitest';
import { eventually } from './eventually.ts';

describe('eventually', () => {
  it('returns the first truthy value', async () => {
    const values = [undefined, false, null, 0, 'here', 'too late'];
    expect(await eventually(() => values.shift())).toBe('here');
  });

  it('treats an error as not yet fulfilled', async () => {
    let calls = 0;
    const value = await eventually(async () => {
      await Promise.resolve();
      if (++calls < 3) throw new Error('not yet');
      return calls;
    });
    expect(value).toBe(3);
  });

  it('fails with the description and the last value', async () => {
    const value = eventually(() => 0, { withinMs: 1, describe: 'the pod runs' });
    await expect(value).rejects.toThrow('Not within 1 ms: the pod runs; the last value was 0');
    const state = eventually(() => Promise.reject(new Error('no such pod')), { withinMs: 1, describe: () => ['a', 1] });
    await expect(state).rejects.toThrow(/Not within 1 ms: \[\s*"a",\s*1\s*\]; the last error was: no such pod/);
  });

  it('awaits an asynchronous description, and ignores one that fails', async () => {
    const failing = eventually(() => 0, { withinMs: 1, describe: () => Promise.resolve({ phase: 'Pending' }) });
    await expect(failing).rejects.toThrow(/Not within 1 ms: \{\s*"phase": "Pending"\s*\}; the last value was 0/);
    const gone = eventually(() => 0, { withinMs: 1, describe: () => Promise.reject(new Error('no such job')) });
    await expect(gone).rejects.toThrow('Not within 1 ms: it cannot be described (no such job); the last value was 0');
  });
});
