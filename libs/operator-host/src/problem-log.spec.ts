import type { Logger } from '@muster/kube';
import { describe, expect, it } from 'vitest';
import { ProblemLog } from './problem-log.ts';

function linesOf(looks: string[][]): string[] {
  const lines: string[] = [];
  const logger: Logger = {
    debug: () => undefined,
    info: (message) => void lines.push(message),
    warn: (message) => void lines.push(message),
    error: () => undefined,
  };
  let problems: string[] = [];
  const problemLog = new ProblemLog({ problems: () => problems }, logger);
  for (problems of looks) problemLog.look();
  return lines;
}

const times = (count: number, ...problems: string[]) => new Array<string[]>(count).fill(problems);

describe('ProblemLog', () => {
  it('logs once that the operator is ready', () => {
    expect(linesOf([[], [], []])).toEqual(['ready']);
  });

  it('logs a lasting problem once', () => {
    expect(linesOf(times(20, 'no CRD'))).toEqual(['not ready: no CRD']);
  });

  it('does not log a problem that lasts only a moment', () => {
    expect(linesOf([...times(1, 'filling caches'), []])).toEqual(['ready']);
  });

  it('logs only the new one when a second problem appears', () => {
    expect(linesOf([...times(2, 'a'), ...times(2, 'a', 'b')])).toEqual(['not ready: a', 'not ready: b']);
  });

  it('logs a problem again when it returns', () => {
    expect(linesOf([...times(2, 'a'), [], ...times(2, 'a'), ['b'], ...times(2, 'a')])).toEqual([
      'not ready: a',
      'ready',
      'not ready: a',
      'not ready: a',
    ]);
  });
});
