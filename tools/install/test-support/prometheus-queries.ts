/** Queries of a test to a Prometheus that evaluates rules, wherever it runs. */
import { eventually } from '@muster/testing';

const LIMIT_MS = 300_000;

export interface FiringAlert {
  readonly state: 'pending' | 'firing';
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

interface RuleGroup {
  readonly rules: readonly { readonly name: string; readonly health: string; readonly lastError?: string }[];
}

interface Series {
  readonly metric: Readonly<Record<string, string>>;
}

export abstract class PrometheusQueries {
  /** The data of its response. @param what the path below `/api/v1` */
  protected abstract request<T>(what: string): Promise<T>;

  /** The labels of the series that the query returns now. */
  async series(query: string): Promise<readonly Series['metric'][]> {
    const { result } = await this.request<{ result: Series[] }>(`query?query=${encodeURIComponent(query)}`);
    return result.map(({ metric }) => metric);
  }

  async alerts(): Promise<readonly FiringAlert[]> {
    return (await this.request<{ alerts: FiringAlert[] }>('alerts')).alerts;
  }

  /** The alert once it fires, with these labels. */
  async fired(name: string, labels: Readonly<Record<string, string>> = {}): Promise<FiringAlert> {
    return eventually(
      async () =>
        (await this.alerts()).find(
          (alert) =>
            alert.state === 'firing' &&
            Object.entries({ alertname: name, ...labels }).every(([label, value]) => alert.labels[label] === value),
        ),
      {
        withinMs: LIMIT_MS,
        describe: async () => `${name} does not fire; there are ${JSON.stringify(await this.alerts())}`,
      },
    );
  }

  /** The names of all alerts of the namespace that have ever fired. */
  async everFired(namespace: string): Promise<string[]> {
    const query = `count by (alertname) (last_over_time(ALERTS{alertstate="firing",namespace="${namespace}"}[1h]))`;
    return (await this.series(query)).map(({ alertname = '' }) => alertname);
  }

  /** The errors of rules, after each of them has been evaluated. */
  async ruleProblems(): Promise<string[]> {
    return eventually(
      async () => {
        const { groups } = await this.request<{ groups: RuleGroup[] }>('rules');
        const rules = groups.flatMap((group) => group.rules);
        if (rules.length === 0 || rules.some(({ health }) => health === 'unknown')) return undefined;
        return rules.filter(({ health }) => health !== 'ok').map(({ name, lastError }) => `${name}: ${lastError}`);
      },
      { withinMs: LIMIT_MS },
    );
  }
}
