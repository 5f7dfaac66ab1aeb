import {
  JOBS,
  type CounterDeclaration,
  type GaugeDeclaration,
  type LabelOf,
  type MetricDeclaration,
  type RESTART_CAUSES,
  type WAITING_REASONS,
} from '@muster/metrics';
import { expect } from 'vitest';
import type { MetricRegistry, MetricValue } from './conformance-framework.ts';

type Until = (condition: () => Promise<boolean>, describe: () => unknown) => Promise<unknown>;

export class FixtureMetrics {
  readonly #registries: MetricRegistry[] = [];
  readonly #until: Until;

  constructor(until: Until) {
    this.#until = until;
  }

  add(registry: MetricRegistry): void {
    this.#registries.push(registry);
  }

  async total(metric: CounterDeclaration): Promise<number> {
    return sum(await this.#all(metric));
  }

  async totals<M extends CounterDeclaration>(metric: M, label: LabelOf<M>): Promise<Record<string, number>> {
    const totals = byLabel(await this.#all(metric), label);
    return Object.fromEntries(Object.entries(totals).filter(([, count]) => count > 0));
  }

  async gauge<M extends GaugeDeclaration>(metric: M, label: LabelOf<M>): Promise<Record<string, number>> {
    const newest = this.#registries.at(-1);
    return newest === undefined ? {} : byLabel(await valuesOf(newest, metric), label);
  }

  texts(): Promise<string[]> {
    return Promise.all(this.#registries.map((registry) => registry.metrics()));
  }

  waitingToBe(expected: Partial<Record<keyof typeof WAITING_REASONS, number>>): Promise<void> {
    return this.#toBe(expected, () => this.gauge(JOBS.waiting, 'reason'));
  }

  /** Waits until all operators together have counted exactly these restarts, by cause. */
  restartCausesToBe(expected: Partial<Record<keyof typeof RESTART_CAUSES, number>>): Promise<void> {
    return this.#toBe(expected, () => this.totals(JOBS.restarts, 'cause'));
  }

  async #toBe(expected: object, read: () => Promise<object>): Promise<void> {
    let seen = {};
    await this.#until(
      async () => {
        seen = await read();
        expect(seen).toEqual(expected);
        return true;
      },
      () => ({ expected, seen }),
    );
  }

  async #all(metric: MetricDeclaration): Promise<MetricValue[]> {
    return (await Promise.all(this.#registries.map((each) => valuesOf(each, metric)))).flat();
  }
}

function sum(values: readonly MetricValue[]): number {
  return values.reduce((total, { value }) => total + value, 0);
}

function byLabel(values: readonly MetricValue[], label: string): Record<string, number> {
  const groups = Map.groupBy(values, ({ labels }) => String(labels[label]));
  return Object.fromEntries([...groups].map(([value, own]) => [value, sum(own)]));
}

async function valuesOf(registry: MetricRegistry, { name }: MetricDeclaration): Promise<readonly MetricValue[]> {
  const metrics = await registry.getMetricsAsJSON();
  return metrics.find((metric) => metric.name === name)?.values ?? [];
}
