import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { identifyProcess, isRunning, parseProcStat, signalProcess } from './process-identity.ts';

describe('process-identity', () => {
  it('recognizes this process', () => {
    const identity = identifyProcess(process.pid);
    expect(identity !== undefined && isRunning(identity)).toBe(true);
  });

  it('treats a process with the same number but another start time as a different one, and never signals it', async () => {
    const child = spawn('sleep', ['60']);
    const stranger = { pid: child.pid ?? 0, startTime: '1' };
    signalProcess(stranger, 'SIGKILL');
    expect(isRunning(stranger)).toBe(false);
    const identity = identifyProcess(child.pid ?? 0);
    expect(identity).toBeDefined();
    if (identity !== undefined) signalProcess(identity, 'SIGKILL');
    await once(child, 'exit');
    expect(identity !== undefined && isRunning(identity)).toBe(false);
  });

  it('reads names with spaces and parentheses', () => {
    const fields = ['S', ...Array.from({ length: 18 }, () => '0'), '4711', '0'];
    expect(parseProcStat(`12 (a) b (c) ${fields.join(' ')}`)).toEqual({ state: 'S', startTime: '4711' });
  });
});
