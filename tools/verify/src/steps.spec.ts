import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CLUSTER_STEPS, partsOf, STEP_NAMES, SUITES, vitestRuns } from './steps.ts';

const ROOT = join(import.meta.dirname, '../../..');
const parts = (name: string) =>
  CLUSTER_STEPS.filter((step) => step.name === name).flatMap((step) => partsOf(step, ROOT));

it('no suite has the name of a step, which would hide the step', () => {
  expect(Object.keys(SUITES).filter((name) => STEP_NAMES.includes(name))).toEqual([]);
});

describe('steps', () => {
  it('has every step that a suite names', () => {
    expect(
      Object.values(SUITES)
        .flat()
        .filter((name) => !STEP_NAMES.includes(name)),
    ).toEqual([]);
  });

  it('run side by side on an API server and on a real node, unless they have settings of their own', () => {
    const runs = (...names: string[]) =>
      vitestRuns(CLUSTER_STEPS.filter(({ name }) => names.includes(name))).map(({ name, projects }) => [
        name,
        ...projects,
      ]);
    expect(runs('integration-ci', 'e2e-ci')).toEqual([
      ['integration-ci+e2e-ci', 'integration', 'integration-ci', 'e2e', 'e2e-ci'],
    ]);
    expect(runs('e2e-full', 'full', 'integration-full').map(([name]) => name)).toEqual([
      'e2e-full',
      'full',
      'integration-full',
    ]);
    expect(runs('full').map(([name]) => name)).toEqual(['full']);
  });

  it('counts as parts of e2e:full the spec files that npm test and .ci/run leave out, and the repeated integration tests', () => {
    expect(parts('full')).toContain('apps/cli/src/kueue.full.spec.ts');
    expect(parts('integration-full')).toContain('integration-full');
    expect(['integration', 'integration-ci', 'e2e', 'e2e-ci'].flatMap(parts)).toEqual([]);
  });
});
