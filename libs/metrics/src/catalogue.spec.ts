import { describe, expect, it } from 'vitest';
import { METRICS } from './catalogue.ts';
import type { MetricDeclaration, Unit } from './declaration.ts';
import { PROCESS } from './declarations/process.ts';
import { RAY } from './declarations/ray.ts';
import { NAMESPACED_SERIES } from './namespaced-series.ts';

const ALL = METRICS.flatMap(({ metrics }) => Object.values(metrics));
/** Named by prom-client and KubeRay. */
const OTHERS: readonly MetricDeclaration[] = [...Object.values(PROCESS), ...Object.values(RAY)];
const OWN = ALL.filter((metric) => !OTHERS.includes(metric));

const SUFFIXES: Partial<Record<Unit, RegExp>> = {
  seconds: /_seconds$/,
  timestamp: /_timestamp_seconds$/,
  bytes: /_bytes$/,
  info: /_info$/,
};

describe('the catalogue of metrics', () => {
  it('declares each name once, with characters that Prometheus accepts', () => {
    const names = ALL.map(({ name }) => name);
    expect(names).toHaveLength(new Set(names).size);
    expect(names.filter((name) => !/^[a-z][a-z0-9_]*$/.test(name))).toEqual([]);
    const labels = ALL.flatMap((metric) => metric.labels);
    expect(labels.filter((label) => !/^[a-z][a-z0-9_]*$/.test(label) || label === 'le')).toEqual([]);
  });

  it.each(ALL.map((metric) => [metric.name, metric] as const))('describes %s', (_name, metric) => {
    expect(metric.help).toMatch(/^[A-Z].*\.$/);
    expect(metric.labels).toHaveLength(new Set(metric.labels).size);
    expect(Object.keys(metric.values ?? {}).filter((label) => !metric.labels.includes(label))).toEqual([]);
    expect(metric.appears ?? 'Always.').toMatch(/^[A-Z].*\.$/);
  });

  it.each(OWN.map((metric) => [metric.name, metric] as const))(
    'names %s by the conventions of Prometheus',
    (name, metric) => {
      expect(name.endsWith('_total')).toBe(metric.type === 'counter');
      const { [metric.unit]: suffix = /^/ } = SUFFIXES;
      expect(name.replace(/_total$/, '')).toMatch(suffix);
      expect(name).not.toMatch(/_(count|sum|bucket)$/);
    },
  );

  it('has no counter or histogram with the name or UID of an object as a label', () => {
    const ofObjects = ALL.filter(({ labels }) => labels.some((label) => ['job_name', 'pod', 'uid'].includes(label)));
    expect(ofObjects.length).toBeGreaterThan(10);
    expect(ofObjects.filter(({ type }) => type !== 'gauge')).toEqual([]);
  });

  it('keeps by namespace only series whose other labels have a closed set of values, so that they can be removed', () => {
    expect(NAMESPACED_SERIES.length).toBeGreaterThan(5);
    const open = NAMESPACED_SERIES.flatMap(({ name, labels, values = {} }) =>
      labels
        .filter((label) => !['job_namespace', 'framework', 'kind'].includes(label) && values[label] === undefined)
        .map((label) => `${name}: ${label}`),
    );
    expect(open).toEqual([]);
    const kept = ALL.filter(
      (metric) =>
        metric.type !== 'gauge' &&
        !(metric.type === 'counter' && metric.isScraped === true) &&
        metric.labels.some((label) => /namespace/.test(label)),
    );
    expect(kept).toEqual(NAMESPACED_SERIES);
  });

  it('has histograms with ascending buckets', () => {
    for (const metric of ALL) {
      if (metric.type !== 'histogram') continue;
      expect(metric.buckets.length, metric.name).toBeGreaterThan(0);
      expect(metric.buckets, metric.name).toEqual(metric.buckets.toSorted((a, b) => a - b));
    }
  });
});
