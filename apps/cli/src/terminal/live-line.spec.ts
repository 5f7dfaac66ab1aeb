import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { liveLine } from './live-line.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function stream(isTTY: boolean) {
  let written = '';
  return { isTTY, columns: 12, write: (text: string) => (written += text), written: () => written };
}

describe('progress', () => {
  it('consists of lines without a terminal', () => {
    const out = stream(false);
    {
      using line = liveLine(out, () => 'waiting');
      line.print('Running');
      vi.advanceTimersByTime(5000);
    }
    expect(out.written()).toBe('Running\n');
  });

  it('has a last line on a terminal, which is redrawn each second, truncated to its width, and erased at the end', () => {
    const out = stream(true);
    let seconds = 0;
    {
      using line = liveLine(out, () => `${seconds++}s waiting for it`);
      line.print('Running');
      vi.advanceTimersByTime(1000);
    }
    vi.advanceTimersByTime(5000);
    const erase = '\r\u001b[K';
    expect(out.written()).toBe(`${erase}Running\n${erase}0s waiting ${erase}1s waiting ${erase}`);
  });
});
