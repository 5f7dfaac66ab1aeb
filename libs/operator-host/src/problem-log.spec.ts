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
  it('says once that the operator is ready', () => {
    expect(linesOf([[], [], []])).toEqual(['ready']);
  });

  it('says a problem once, however long it lasts', () => {
    expect(linesOf(times(20, 'no CRD'))).toEqual(['not ready: no CRD']);
  });

  it('says nothing of a problem that is gone after a moment', () => {
    expect(linesOf([...times(1, 'filling caches'), []])).toEqual(['ready']);
  });

  it('says only what is new when a second problem comes', () => {
    expect(linesOf([...times(2, 'a'), ...times(2, 'a', 'b')])).toEqual(['not ready: a', 'not ready: b']);
  });

  it('says a problem again when it comes back', () => {
    expect(linesOf([...times(2, 'a'), [], ...times(2, 'a'), ['b'], ...times(2, 'a')])).toEqual([
      'not ready: a',
      'ready',
      'not ready: a',
      'not ready: a',
    ]);
  });
});
