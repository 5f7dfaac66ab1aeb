import { rayClusterDefinition } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { bareCluster, rayCluster } from './ray-cluster-manifest.ts';

describe('rayCluster', () => {
  it('is accepted by the API, with the requested number of workers', () => {
    const parsed = rayClusterDefinition.schema.parse(rayCluster('team', 'demo', 500));
    expect(parsed.spec.workerGroupSpecs?.map(({ replicas }) => replicas)).toEqual([500]);
  });
});

describe('bareCluster', () => {
  it('has a head that its Service selects, and a worker that it does not select', () => {
    const { service, pods } = bareCluster('demo', { floor: 'a' });
    const { selector } = (service as unknown as { spec: { selector: Record<string, string> } }).spec;
    const selected = pods.filter(({ metadata }) =>
      Object.entries(selector).every(([key, value]) => metadata?.labels?.[key] === value),
    );
    expect(pods).toHaveLength(2);
    expect(selected.map(({ metadata }) => metadata?.name)).toEqual(['demo-head']);
  });
});
