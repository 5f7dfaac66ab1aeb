import { describe, expect, it } from 'vitest';
import { metricSpec } from './metric-spec.ts';

describe('metricSpec', () => {
  it.each([
    {
      name: 'writes amounts in canonical form',
      metric: {
        type: 'Resource',
        resource: { name: 'memory', target: { type: 'AverageValue', averageValue: '1.5Gi' } },
      },
      gives: {
        type: 'Resource',
        resource: { name: 'memory', target: { type: 'AverageValue', averageValue: '1536Mi' } },
      },
    },
    {
      name: 'drops fields that autoscaling/v2 does not have, and null or empty ones',
      metric: {
        type: 'External',
        unknown: 1,
        pods: null,
        object: { metric: { name: 'm', selector: { matchExpressions: [] } } },
        external: {
          metric: {
            name: 'queue',
            selector: {
              matchLabels: {},
              matchExpressions: [{ key: 'a', operator: 'Exists', values: [], unknown: 1 }],
            },
          },
          target: { type: 'Value', value: '0.5', unknown: 1 },
        },
      },
      gives: {
        type: 'External',
        object: { metric: { name: 'm', selector: {} } },
        external: {
          metric: { name: 'queue', selector: { matchExpressions: [{ key: 'a', operator: 'Exists' }] } },
          target: { type: 'Value', value: '500m' },
        },
      },
    },
    {
      name: 'keeps an empty selector, which selects everything',
      metric: { type: 'Pods', pods: { metric: { name: 'm', selector: {} }, target: { type: 'AverageValue' } } },
      gives: { type: 'Pods', pods: { metric: { name: 'm', selector: {} }, target: { type: 'AverageValue' } } },
    },
    {
      name: 'keeps invalid metrics unchanged, for the API server to refuse',
      metric: {
        type: 'Resource',
        resource: 'cpu',
        external: { metric: { selector: { matchExpressions: 'x' } }, target: { value: 'many', averageValue: [1] } },
      },
      gives: {
        type: 'Resource',
        resource: 'cpu',
        external: { metric: { selector: { matchExpressions: 'x' } }, target: { value: 'many', averageValue: [1] } },
      },
    },
  ])('$name', ({ metric, gives }) => {
    expect(metricSpec(metric)).toEqual(gives);
  });
});
