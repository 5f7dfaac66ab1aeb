/** A metric as the API server stores it, without unknown or empty fields and with canonical amounts, so that it can be compared. */
import { formatQuantity, parseQuantity, type MetricSpec } from '@muster/job-api';

type Shape = 'scalar' | 'quantity' | 'scalars' | { readonly [field: string]: Shape } | [Shape];

const TARGET: Shape = { type: 'scalar', value: 'quantity', averageValue: 'quantity', averageUtilization: 'scalar' };
const REQUIREMENTS: Shape = [{ key: 'scalar', operator: 'scalar', values: 'scalars' }];
const METRIC: Shape = { name: 'scalar', selector: { matchLabels: 'scalars', matchExpressions: REQUIREMENTS } };

const METRIC_SPEC: Shape = {
  type: 'scalar',
  resource: { name: 'scalar', target: TARGET },
  containerResource: { name: 'scalar', container: 'scalar', target: TARGET },
  pods: { metric: METRIC, target: TARGET },
  object: {
    describedObject: { apiVersion: 'scalar', kind: 'scalar', name: 'scalar' },
    metric: METRIC,
    target: TARGET,
  },
  external: { metric: METRIC, target: TARGET },
};

/** An invalid metric is returned unchanged, for the API server to refuse. */
export function metricSpec(metric: object): MetricSpec {
  return project(metric, METRIC_SPEC) as MetricSpec;
}

function project(value: unknown, shape: Shape): unknown {
  if (shape === 'scalar') return value;
  if (shape === 'quantity') return canonical(value);
  if (typeof value !== 'object' || value === null) return value;
  if (shape === 'scalars') return isEmpty(value) ? undefined : value;
  if (Array.isArray(shape)) {
    if (!Array.isArray(value)) return value;
    return isEmpty(value) ? undefined : value.map((each) => project(each, shape[0]));
  }
  const given = new Map(Object.entries(value));
  const known = Object.entries(shape).map(([name, field]) => [name, project(given.get(name), field)] as const);
  return Object.fromEntries(known.filter(([, each]) => each !== undefined && each !== null));
}

function canonical(value: unknown): unknown {
  if (typeof value !== 'string' && typeof value !== 'number') return value;
  const quantity = parseQuantity(value);
  return quantity === undefined ? value : formatQuantity(quantity);
}

function isEmpty(value: object): boolean {
  return Object.keys(value).length === 0;
}
