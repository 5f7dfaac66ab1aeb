import { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { terminalProgress } from './progress.ts';

function recorder(isTTY: boolean): Writable & { isTTY: boolean; columns: number; text: string } {
  const stream = Object.assign(new Writable(), { isTTY, columns: 40, text: '' });
  stream._write = (chunk: Buffer, _encoding, done) => {
    stream.text += chunk.toString();
    done();
  };
  return stream;
}

describe('progress', () => {
  it('writes plain lines with the time to a log', async () => {
    const stream = recorder(false);
    await terminalProgress(stream).step('Building etcd', () => Promise.resolve());
    expect(stream.text).toMatch(/^Building etcd \.\.\.\nBuilding etcd: done in \d+\.\d s\n$/);
  });

  it('redraws one line on a terminal, never wider than the terminal', async () => {
    const stream = recorder(true);
    await terminalProgress(stream).step('Building a program with quite a long name', () => Promise.resolve());
    const [first = '', last = ''] = stream.text.split('\r\u001b[2K').slice(1);
    expect(first.length).toBeLessThan(40);
    expect(last).toMatch(/^✓ Building a program with quite a long name \(\d+\.\d s\)\n$/);
  });

  it('marks a failed step and passes the error on', async () => {
    const stream = recorder(true);
    const step = terminalProgress(stream).step('Starting', () => Promise.reject(new Error('no')));
    await expect(step).rejects.toThrow('no');
    expect(stream.text).toContain('✗ Starting');
  });
});
