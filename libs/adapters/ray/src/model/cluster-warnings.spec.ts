import { describe, expect, it } from 'vitest';
import { clusterOf } from '../../test-support/cluster-models.ts';
import { clusterWarnings } from './cluster-warnings.ts';

type Given = Parameters<typeof clusterOf>[0];

const MEMORY = 'spec.headGroupSpec.template.spec.containers[0].resources.limits[memory]';
const memory = (limit: string) => ({ headContainer: { resources: { limits: { memory: limit } } } });
const RULES = [{ ports: [{ port: 53 }] }];

describe('warnings', () => {
  it.each<[string, Given, string[]]>([
    ['nothing', {}, []],
    ['a small head', memory('4Gi'), [MEMORY]],
    ['a head that is large enough', memory('5Gi'), []],
    ['workers without DNS', { spec: { networkPolicy: {} } }, ['spec.networkPolicy']],
    ['a network that is open outwards', { spec: { networkPolicy: { mode: 'DenyAllIngress' } } }, []],
    ['workers with a rule', { spec: { networkPolicy: { worker: { egressRules: RULES } } } }, []],
    [
      'an autoscaler without the API server',
      { spec: { enableInTreeAutoscaling: true, networkPolicy: { worker: { egressRules: RULES } } } },
      ['spec.networkPolicy'],
    ],
    [
      'a head with a rule',
      {
        spec: {
          enableInTreeAutoscaling: true,
          networkPolicy: { worker: { egressRules: RULES }, head: { egressRules: RULES } },
        },
      },
      [],
    ],
  ])('for %s', (_case, given, paths) => {
    expect(clusterWarnings(clusterOf(given)).map(({ path }) => path)).toEqual(paths);
  });

  it('name the groups', () => {
    const [warning] = clusterWarnings(clusterOf({ spec: { networkPolicy: {} } }));
    expect(warning?.message).toContain('workers of small cannot reach DNS');
  });
});
