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
  const problemLog = new ProblemLog(logger);
  for (const problems of looks) problemLog.look(problems);
  return lines;
}

describe('ProblemLog', () => {
  it('says once that the operator is ready', () => {
    expect(linesOf([[], [], []])).toEqual(['ready']);
  });

  it('says a problem once, however long it lasts', () => {
    expect(linesOf([['no CRD'], ['no CRD'], ['no CRD'], ['no CRD']])).toEqual(['not ready: no CRD']);
  });

  it('says nothing of a problem that is gone at the next look', () => {
    expect(linesOf([['filling caches'], []])).toEqual(['ready']);
  });

  it('says only what is new when a second problem comes', () => {
    expect(linesOf([['a'], ['a'], ['a', 'b'], ['a', 'b']])).toEqual(['not ready: a', 'not ready: b']);
  });

  it('says a problem again when it comes back', () => {
    expect(linesOf([['a'], ['a'], [], ['a'], ['a'], ['b'], ['a'], ['a']])).toEqual([
      'not ready: a',
      'ready',
      'not ready: a',
      'not ready: a',
    ]);
  });
});
