/** What the charts ship: the files, not the code that made them. */
import { METRICS, WAITING_REASONS } from '@muster/metrics';
import { describe, expect, it } from 'vitest';
import { grafanaTypeProblems } from '../../test-support/grafana-type-problems.ts';
import { metricsIn, promqlProblems } from '../../test-support/promql-problems.ts';
import { shippedDashboards, type ShippedDashboard } from '../../test-support/shipped.ts';

const SHIPPED = shippedDashboards();

/** Grafana's own variables, and ours, as they are when something is chosen. */
const CHOSEN: Readonly<Record<string, string>> = {
  __rate_interval: '5m',
  __range: '1h',
  cluster: '.*',
  namespace: 'team-a',
  pod: 'operator-0',
  kind: 'RayJob',
  job: 'mnist',
};

function withChoices(text: string): string {
  return text.replaceAll(/\$(\w+)/g, (variable, name: string) => CHOSEN[name] ?? variable);
}

function queriesOf({ panels }: ShippedDashboard): string[] {
  return panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
}

it('has uids that are different, and short enough for Grafana', () => {
  const uids = SHIPPED.map(([, { uid }]) => uid);
  expect(new Set(uids).size).toBe(uids.length);
  expect(uids.filter((uid) => uid.length > 40)).toEqual([]);
});

it("is what Grafana's own types say", () => {
  // With all there is: several kinds, elastic jobs, panels of its own.
  const checked = SHIPPED.filter(([name]) => /^(ray|pytorch-elastic)\//.test(name));
  expect(checked).toHaveLength(6);
  expect(grafanaTypeProblems(checked.map(([, dashboard]) => dashboard))).toEqual([]);
});

describe.each(SHIPPED)('%s', (_name, dashboard) => {
  const { panels, templating } = dashboard;
  const shown = panels.filter(({ type }) => type !== 'row');

  it('asks only for what is exported, and in a way that makes sense', () => {
    for (const query of queriesOf(dashboard)) expect(promqlProblems(withChoices(query)), query).toEqual([]);
  });

  it('uses each of its variables, and no other', () => {
    const names = templating.list.map(({ name }) => name);
    const used = new Set([...JSON.stringify(dashboard).matchAll(/\$\{?(\w+)/g)].map(([, name = '']) => name));
    expect([...used].filter((name) => !name.startsWith('__')).sort()).toEqual(names.toSorted());
  });

  it('selects the series of one cluster in each query', () => {
    const cluster = templating.list.find(({ name }) => name === 'cluster');
    expect(cluster).toMatchObject({ multi: false, includeAll: false });
    for (const query of queriesOf(dashboard)) {
      const selectors = query.match(
        /\b(?:muster|training_operator|workqueue|controller_runtime|rest_client|leader_election|process|nodejs|kuberay)_\w+(?:\{[^}]*\})?/g,
      );
      expect(
        selectors?.filter((selector) => !selector.includes('cluster="$cluster"')),
        query,
      ).toEqual([]);
    }
  });

  it('lets people choose among the values of labels that exist', () => {
    const queries = templating.list.flatMap(({ query }) => (typeof query === 'string' ? [] : [query.query]));
    for (const query of queries) {
      const [, series = '', label = ''] = /^label_values\((.+), (\w+)\)$/.exec(query) ?? [];
      expect(promqlProblems(withChoices(`count by (${label}) (${series})`)), query).toEqual([]);
    }
  });

  it('asks the data source that is chosen', () => {
    for (const { title, datasource, targets = [] } of shown.filter(({ type }) => type !== 'text')) {
      expect(
        [datasource, ...targets.map((target) => target.datasource)].map((each) => each?.uid),
        title,
      ).toEqual(Array.from({ length: targets.length + 1 }, () => '${datasource}'));
    }
  });

  it('says of each panel what it shows, in which unit', () => {
    for (const { title, type, description, fieldConfig } of shown) {
      expect(title).not.toBe('');
      if (type === 'text') continue;
      expect(description, title).toMatch(/\.$/);
      expect(fieldConfig?.defaults.unit, title).toBeTruthy();
    }
  });

  it('fills the lines without a panel over another', () => {
    const taken = new Set<string>();
    for (const { title, gridPos } of panels) {
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++) {
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
          expect(x, title).toBeLessThan(24);
          expect(taken.has(`${x},${y}`), title).toBe(false);
          taken.add(`${x},${y}`);
        }
      }
    }
  });
});

it.each(SHIPPED.filter(([name]) => name.endsWith('/job.json')))(
  '%s has a colour for each state and each reason to wait',
  (_name, { panels }) => {
    const coloursOf = (title: string) => {
      const timeline = panels.find((panel) => panel.type === 'state-timeline' && panel.title === title);
      const overrides = timeline?.fieldConfig?.overrides ?? [];
      return new Map(overrides.map(({ matcher, properties }) => [matcher.options, colourOfOne(properties)]));
    };
    expect(coloursOf('State')).toEqual(
      new Map([
        ['New', 'light-blue'],
        ['Created', 'blue'],
        ['Running', 'green'],
        ['Failing', 'red'],
        ['Restarting', 'orange'],
        ['Suspended', 'purple'],
        ['Succeeded', 'dark-green'],
        ['Failed', 'dark-red'],
      ]),
    );
    const reasons = coloursOf('What it waited for');
    expect([...reasons.keys()]).toEqual(Object.keys(WAITING_REASONS));
    expect(new Set(reasons.values()).size).toBe(reasons.size);
  },
);

/** The colour that the value 1 is shown in. */
function colourOfOne(properties: readonly { id: string; value: unknown }[]): string | undefined {
  const [mapping] = (properties.find(({ id }) => id === 'mappings')?.value ?? []) as {
    options: Record<string, { color?: string }>;
  }[];
  return mapping?.options['1']?.color;
}

it('shows, over all dashboards, every metric but those of the process and a few', () => {
  const shown = new Set(SHIPPED.flatMap(([, dashboard]) => queriesOf(dashboard)).flatMap((query) => metricsIn(query)));
  const ours = METRICS.filter(({ title }) => title !== 'Process').flatMap(({ metrics }) => Object.values(metrics));
  expect(ours.map(({ name }) => name).filter((name) => !shown.has(name))).toEqual(NOT_SHOWN);
});

/** Those that add nothing to what is shown. */
const NOT_SHOWN: readonly string[] = [
  'training_operator_jobs_deleted_total',
  'training_operator_jobs_restarted_total',
  'muster_job_created_timestamp_seconds',
  'kuberay_cluster_info',
  'kuberay_job_info',
  'kuberay_job_execution_duration_seconds',
  'controller_runtime_terminal_reconcile_errors_total',
  'workqueue_adds_total',
  'workqueue_retries_total',
  'workqueue_work_duration_seconds',
  'workqueue_unfinished_work_seconds',
];
