import { describe, expect, it } from 'vitest';
import { projectsInTurn, suitesFirst } from './file-order.ts';

const file = (project: string, moduleId: string) => ({ moduleId, project: { name: project } }) as never;

describe('the order of test files', () => {
  it('puts specs that play a suite or train first, and keeps the order of the others', () => {
    const files = [
      file('e2e', '/clone/tools/b.e2e.spec.ts'),
      file('e2e', '/clone/apps/training.e2e.spec.ts'),
      file('integration', '/clone/libs/large.integration.spec.ts'),
      file('integration', '/clone/libs/conformance-v1.integration.spec.ts'),
    ];
    expect(suitesFirst(files)).toEqual([1, 3, 0, 2].map((at) => files[at]));
  });

  it('takes projects in turn', () => {
    const files = [file('a', '1'), file('a', '2'), file('a', '3'), file('b', '4'), file('b', '5')];
    expect(projectsInTurn(files)).toEqual([0, 3, 1, 4, 2].map((at) => files[at]));
  });
});
