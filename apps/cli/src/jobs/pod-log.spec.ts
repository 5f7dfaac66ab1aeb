import { describe, expect, it } from 'vitest';
import { mergedByTime } from './merged-by-time.ts';
import { podLog, type LogLine } from './pod-log.ts';

/** An answer of the API server in chunks of this size. */
function answering(text: string, size: number) {
  const requests: URL[] = [];
  async function* chunks() {
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; at += size) yield await Promise.resolve(bytes.subarray(at, at + size));
  }
  const textStream = (path: string) => {
    requests.push(new URL(path, 'http://api'));
    return Promise.resolve(chunks());
  };
  return { requests, textStream };
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const seen: T[] = [];
  for await (const item of items) seen.push(item);
  return seen;
}

const target = { namespace: 'team', pod: 'mnist-worker-0', container: 'pytorch' };

describe('the log of a pod', () => {
  it.each([1, 3, 1000])('is split into lines, including the last one, with chunks of %i bytes', async (size) => {
    const server = answering('2026-01-01T00:00:00.1Z größer\n2026-01-01T00:00:01Z \n2026-01-01T00:00:02Z a  b', size);
    const lines = await all(podLog(server, target));
    expect(lines).toEqual([
      { time: '2026-01-01T00:00:00.1Z', text: 'größer' },
      { time: '2026-01-01T00:00:01Z', text: '' },
      { time: '2026-01-01T00:00:02Z', text: 'a  b' },
    ]);
  });

  it('continues after the last line that was read', async () => {
    const server = answering('2026-01-01T00:00:00.1Z a\n2026-01-01T00:00:00.2Z b\n2026-01-01T00:00:01.0Z c\n', 10);
    const lines = await all(podLog(server, { ...target, follow: true, after: '2026-01-01T00:00:00.1Z' }));
    expect(lines.map(({ text }) => text)).toEqual(['b', 'c']);
    expect(Object.fromEntries(server.requests[0]?.searchParams ?? [])).toEqual({
      container: 'pytorch',
      timestamps: 'true',
      follow: 'true',
      sinceTime: '2026-01-01T00:00:00Z',
    });
  });
});

describe('several logs', () => {
  async function* log(...lines: LogLine[]) {
    for (const line of lines) yield await Promise.resolve(line);
  }

  it('are merged by time, across time zones; lines of the same time are in the order of the logs', async () => {
    const merged = mergedByTime([
      {
        name: 'worker-0',
        lines: log({ time: '2026-01-01T00:00:01Z', text: 'b' }, { time: '2026-01-01T00:00:03Z', text: 'd' }),
      },
      {
        name: 'worker-1',
        lines: log({ time: '2026-01-01T02:00:00+02:00', text: 'a' }, { time: '2026-01-01T00:00:03Z', text: 'e' }),
      },
      { name: 'worker-2', lines: log() },
      { name: 'worker-3', lines: log({ time: '2026-01-01T00:00:02Z', text: 'c' }) },
    ]);
    const seen = (await all(merged)).map(({ name, text }) => `${name} ${text}`);
    expect(seen).toEqual(['worker-1 a', 'worker-0 b', 'worker-3 c', 'worker-0 d', 'worker-1 e']);
  });
});
