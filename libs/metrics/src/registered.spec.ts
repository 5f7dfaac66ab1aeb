import { collectDefaultMetrics, Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import type { MetricSet } from './declaration.ts';
import { JOBS } from './declarations/jobs.ts';
import { LEFT_OUT, PROCESS } from './declarations/process.ts';
import { WATCHES } from './declarations/watches.ts';
import { WORK_QUEUE } from './declarations/work-queue.ts';
import { metricsText } from './metrics-text.ts';
import { counter, gauge, histogram } from './registered.ts';
import { scrapedGauge } from './scraped-gauge.ts';

describe('a registered metric', () => {
  it('is shared by all callers of a registry', async () => {
    const registry = new Registry();
    const labels = { resource: 'pods', reason: 'error' };
    counter(registry, WATCHES.restarts).inc(labels);
    counter(registry, WATCHES.restarts).inc(labels);
    expect(await registry.metrics()).toContain('muster_watch_restarts_total{resource="pods",reason="error"} 2');
  });

  it('has the declared name, help, type and buckets', async () => {
    const registry = new Registry();
    const ofKind = { job_namespace: 'a', framework: 'b', kind: 'c' };
    histogram(registry, JOBS.startLatency).observe({ ...ofKind, stage: 'running' }, 0.15);
    const text = await registry.metrics();
    const { name, help, buckets } = JOBS.startLatency;
    expect(text).toContain(`# HELP ${name} ${help}\n# TYPE ${name} histogram\n`);
    const bounds = [...text.matchAll(/le="([^"]+)"/g)].map(([, bound]) => Number(bound));
    expect(bounds.filter(Number.isFinite)).toEqual(buckets);
  });

  it('rejects labels that are not declared', () => {
    const depth = gauge(new Registry(), WORK_QUEUE.depth);
    // @ts-expect-error -- that it does not compile is the point
    expect(() => depth.set({ name: 'a', controller: 'a', priority: '0', job_name: 'x' }, 1)).toThrow('job_name');
  });
});

describe('scrapedGauge', () => {
  it('exports exactly the series that exist at the scrape', async () => {
    const registry = new Registry();
    let objects = new Map([['pods', 3]]);
    scrapedGauge(registry, WATCHES.objects, () =>
      [...objects].map(([resource, value]) => ({ labels: { resource }, value })),
    );
    expect(await registry.metrics()).toContain('muster_watch_objects{resource="pods"} 3\n');
    objects = new Map([['services', 1]]);
    const text = await registry.metrics();
    expect(text).toContain('# TYPE muster_watch_objects gauge\nmuster_watch_objects{resource="services"} 1\n');
    expect(text).not.toContain('pods');
    objects = new Map();
    expect(await registry.metrics()).not.toContain('muster_watch_objects{');
  });

  it('rejects a second source of a metric', () => {
    const registry = new Registry();
    scrapedGauge(registry, WATCHES.objects, () => []);
    expect(() => scrapedGauge(registry, WATCHES.objects, () => [])).toThrow('already been registered');
  });
});

it('declares the metrics of the process as prom-client exports them', async () => {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  for (const name of LEFT_OUT) registry.removeSingleMetric(name);
  const exported = registry.getMetricsAsArray().map((metric) => {
    const { name, help, labelNames } = metric as unknown as { name: string; help: string; labelNames: string[] };
    return { name, help, labels: labelNames };
  });
  const types = Object.fromEntries((await registry.getMetricsAsJSON()).map(({ name, type }) => [name, String(type)]));
  const declared = Object.values<MetricSet[string]>(PROCESS);
  const byName = (a: { name: string }, b: { name: string }) => a.name.localeCompare(b.name);
  expect(exported.toSorted(byName)).toEqual(
    declared.map(({ name, help, labels }) => ({ name, help, labels: [...labels] })).toSorted(byName),
  );
  expect(types).toEqual(Object.fromEntries(declared.map(({ name, type }) => [name, type])));
});

describe('metricsText', () => {
  it('equals the output of prom-client, with special characters in labels', async () => {
    const registry = new Registry();
    counter(registry, WATCHES.restarts).inc({ resource: 'a"b\\c\nd', reason: 'error' });
    scrapedGauge(registry, WATCHES.objects, () =>
      ['pods', 'a"b\\c\nd', ''].map((resource, value) => ({ labels: { resource }, value: value + 0.5 })),
    );
    expect(await metricsText(registry)).toBe((await registry.metrics()).replaceAll('\n\n', '\n'));
  });

  it('yields to the event loop while it formats many series', async () => {
    const registry = new Registry();
    const many = Array.from({ length: 200_000 }, (_, at) => ({ labels: { resource: `r${at}` }, value: at }));
    scrapedGauge(registry, WATCHES.objects, () => many);
    let turns = 0;
    let isMade = false;
    const count = () => {
      turns++;
      if (!isMade) setImmediate(count);
    };
    setImmediate(count);
    const text = await metricsText(registry);
    isMade = true;
    expect(text.split('\n')).toHaveLength(200_000 + 3);
    expect(turns).toBeGreaterThan(5);
  });
});
