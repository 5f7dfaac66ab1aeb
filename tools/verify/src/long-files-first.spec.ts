import { describe, expect, it } from 'vitest';
import { suitesFirst } from './long-files-first.ts';

const file = (project: string, moduleId: string) => ({ moduleId, project: { name: project } }) as never;

describe('suitesFirst', () => {
  it('puts the specs that play a suite or train before all others of their project, and changes no other order', () => {
    const files = [
      file('e2e', '/clone/tools/b.e2e.spec.ts'),
      file('e2e', '/clone/apps/training.e2e.spec.ts'),
      file('integration', '/clone/libs/large.integration.spec.ts'),
      file('integration', '/clone/libs/conformance-v1.integration.spec.ts'),
      file('integration', '/clone/libs/small.integration.spec.ts'),
      file('integration', '/clone/libs/conformance.integration.spec.ts'),
    ];
    expect(suitesFirst(files)).toEqual([1, 0, 3, 5, 2, 4].map((at) => files[at]));
  });
});
