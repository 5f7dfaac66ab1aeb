/** Checks the generated files in the charts. */
import { METRICS, WAITING_REASONS } from '@muster/metrics';
import { describe, expect, it } from 'vitest';
import { grafanaTypeProblems } from '../../test-support/grafana-type-problems.ts';
import { metricsIn, promqlProblems } from '../../test-support/promql-problems.ts';
import { shippedDashboards, type ShippedDashboard } from '../../test-support/shipped.ts';

const SHIPPED = shippedDashboards();

/** Values of Grafana's variables and ours. */
const CHOSEN: Readonly<Record<string, string>> = {
  __rate_interval: '5m',
  __range: '1h',
  cluster: '.*',
  namespace: 'team-a',
  pod: 'operator-0',
  kind: 'RayJob',
  job: 'mnist',
  framework: 'pytorch',
  resource: 'nvidia.com/gpu',
};

function withChoices(text: string): string {
  return text.replaceAll(/\$(\w+)/g, (variable, name: string) => CHOSEN[name] ?? variable);
}

function queriesOf({ panels }: ShippedDashboard): string[] {
  return panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
}

it('have different uids of at most 40 characters', () => {
  const uids = SHIPPED.map(([, { uid }]) => uid);
  expect(new Set(uids).size).toBe(uids.length);
  expect(uids.filter((uid) => uid.length > 40)).toEqual([]);
});

it('conform to the types of Grafana', () => {
  // Together these have every feature: several kinds, elastic jobs, panels of their own.
  const checked = SHIPPED.filter(([name]) => /^(ray|pytorch-elastic)\//.test(name));
  expect(checked).toHaveLength(8);
  expect(grafanaTypeProblems(checked.map(([, dashboard]) => dashboard))).toEqual([]);
});

describe.each(SHIPPED)('%s', (_name, dashboard) => {
  const { panels, templating } = dashboard;
  const shown = panels.filter(({ type }) => type !== 'row');

  it('queries only exported metrics, each by a function for its type', () => {
    for (const query of queriesOf(dashboard)) expect(promqlProblems(withChoices(query)), query).toEqual([]);
  });

  it('uses exactly its variables', () => {
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

  it('offers values of labels that exist', () => {
    const queries = templating.list.flatMap(({ query }) => (typeof query === 'string' ? [] : [query.query]));
    for (const query of queries) {
      const [, series = '', label = ''] = /^label_values\((.+), (\w+)\)$/.exec(query) ?? [];
      const vector = /_total\b/.test(series) ? `rate(${series}[5m])` : series;
      expect(promqlProblems(withChoices(`count by (${label}) (${vector})`)), query).toEqual([]);
    }
  });

  it('queries the selected data source', () => {
    for (const { title, datasource, targets = [] } of shown.filter(({ type }) => type !== 'text')) {
      expect(
        [datasource, ...targets.map((target) => target.datasource)].map((each) => each?.uid),
        title,
      ).toEqual(Array.from({ length: targets.length + 1 }, () => '${datasource}'));
    }
  });

  it('has a description and a unit for each panel', () => {
    for (const { title, type, description, fieldConfig } of shown) {
      expect(title).not.toBe('');
      if (type === 'text') continue;
      expect(description, title).toMatch(/\.$/);
      expect(fieldConfig?.defaults.unit, title).toBeTruthy();
    }
  });

  it('has no overlapping panels', () => {
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

describe.each(SHIPPED)('%s', (_name, dashboard) => {
  const queries = queriesOf(dashboard);

  it('shows a quantile only of at least 20 observations, because of fewer it is the bound of a bucket', () => {
    for (const query of queries.filter((each) => each.includes('histogram_quantile('))) {
      expect(query).toMatch(/ and \(sum by \(\w+\) \(increase\(\w+_count\{.*\}\[\$__rate_interval\]\)\) >= 20\)$/);
    }
  });

  it('has no series without a value in a legend, because every ratio of rates by a label has a divisor above 0', () => {
    for (const query of queries.filter((each) => / \/ .*sum by /.test(each))) expect(query).toMatch(/ > 0\)+$/);
  });

  it('counts events of jobs over the time range, instead of rates of short bursts', () => {
    const ofJobs = /rate\((?:training_operator_jobs|muster_job|controller_runtime_reconcile_panics|muster_watch)\w*/;
    const rates = queries.filter((query) => ofJobs.test(query));
    // The averages and quantiles of durations, and the average number of what counts seconds.
    expect(rates.filter((query) => !/ \/ |histogram_quantile\(|_seconds_total/.test(query))).toEqual([]);
  });

  it('has the column by which a table is sorted among the first four, and does not begin with the selected namespace and job', () => {
    for (const { title, options, transformations } of dashboard.panels.filter(({ type }) => type === 'table')) {
      const [by] = (options as { sortBy?: { displayName: string }[] }).sortBy ?? [];
      const { indexByName, renameByName } = transformations?.[0]?.options as {
        indexByName: Record<string, number>;
        renameByName: Record<string, string>;
      };
      const columns = Object.keys(indexByName)
        .toSorted((one, other) => (indexByName[one] ?? 0) - (indexByName[other] ?? 0))
        .map((label) => renameByName[label] ?? label);
      if (by !== undefined) expect(columns.slice(0, 4), title).toContain(by.displayName);
      expect(columns.slice(0, 2), title).not.toEqual(['Namespace', 'Job']);
    }
  });
});

describe.each(SHIPPED.filter(([name]) => /\/(operator|jobs)\.json$/.test(name)))('%s', (_name, { panels }) => {
  it('has a tile with the number of failing jobs, which is red from 1', () => {
    const tile = panels.find(({ type, title }) => type === 'stat' && title === 'Failing');
    expect(tile?.targets?.map(({ expr }) => expr)).toEqual([expect.stringContaining('state="Failing"')]);
    expect(tile?.fieldConfig?.defaults).toMatchObject({
      thresholds: { steps: [{ color: 'green' }, { value: 1, color: 'red' }] },
    });
  });
});

describe.each(SHIPPED.filter(([name]) => name.endsWith('/jobs.json')))('%s', (_name, { panels }) => {
  const panelOf = (title: string) => panels.find((panel) => panel.title === title);

  it('does not count failing jobs as running', () => {
    const [{ expr = '' } = {}] = panelOf('Running')?.targets ?? [];
    expect(expr).toContain('state="Running"');
  });

  it.each([
    ['Failing jobs by restarts', 'Failing', { displayName: 'Restarts', desc: true }],
    ['Failed jobs', 'Failed', { displayName: 'Failed ago', desc: false }],
  ])('has a sorted table "%s" with the first failure of each job', (title, state, sortBy) => {
    const table = panelOf(title);
    expect(table?.targets?.[0]?.expr).toContain(`muster_job_state{`);
    expect(table?.targets?.[0]?.expr).toContain(`state="${state}"`);
    expect(table?.options).toMatchObject({ sortBy: [sortBy] });
    expect(table?.transformations).toMatchObject([
      { id: 'organize', options: { renameByName: { class: 'First failure', exit_code: 'Exit code' } } },
    ]);
  });

  it('draws failing and failed jobs of every kind in red, and no other state', () => {
    const { overrides = [] } = panelOf('Jobs by state')?.fieldConfig ?? {};
    const red = overrides.flatMap(({ matcher, properties }) => {
      const { fixedColor = '' } = (properties[0]?.value ?? {}) as { fixedColor?: string };
      return fixedColor.endsWith('red') ? [matcher.options] : [];
    });
    const states = new Set(red.map((series) => series.split(' ').at(-1)));
    expect(states).toEqual(new Set(['Failing', 'Failed']));
    const kinds = new Set(overrides.map(({ matcher }) => matcher.options.split(' ').slice(0, -1).join(' ')));
    expect(red).toHaveLength(kinds.size * 2);
  });
});

it.each(SHIPPED.filter(([name]) => name.endsWith('/job.json')))(
  '%s does not show "none" as the waiting reason of a failing job',
  (_name, { panels }) => {
    const tile = panels.find(({ title }) => title === 'Waiting reason');
    expect(tile?.targets?.map(({ legendFormat }) => legendFormat)).toEqual(['{{reason}}', 'keeps failing']);
    expect(tile?.targets?.[1]?.expr).toMatch(/state="Failing"\} == 1\) unless max \(muster_job_waiting/);
  },
);

it.each(SHIPPED.filter(([name]) => name.endsWith('/job.json')))(
  '%s has a colour for each state and each waiting reason',
  (_name, { panels }) => {
    const coloursOf = (title: string) => {
      const timeline = panels.find((panel) => panel.type === 'state-timeline' && panel.title === title);
      const overrides = timeline?.fieldConfig?.overrides ?? [];
      return new Map(overrides.map(({ matcher, properties }) => [matcher.options, colourOfOne(properties)]));
    };
    expect(coloursOf('State history')).toEqual(
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
    const reasons = coloursOf('Waiting reason history');
    expect([...reasons.keys()]).toEqual(Object.keys(WAITING_REASONS));
    expect(new Set(reasons.values()).size).toBe(reasons.size);
  },
);

/** The colour of the value 1. */
function colourOfOne(properties: readonly { id: string; value: unknown }[]): string | undefined {
  const [mapping] = (properties.find(({ id }) => id === 'mappings')?.value ?? []) as {
    options: Record<string, { color?: string }>;
  }[];
  return mapping?.options['1']?.color;
}

it('show every metric, except those of the process and a few others', () => {
  const shown = new Set(SHIPPED.flatMap(([, dashboard]) => queriesOf(dashboard)).flatMap((query) => metricsIn(query)));
  const ours = METRICS.filter(({ title }) => title !== 'Process').flatMap(({ metrics }) => Object.values(metrics));
  expect(ours.map(({ name }) => name).filter((name) => !shown.has(name))).toEqual(NOT_SHOWN);
});

/** Add nothing to the other panels. */
const NOT_SHOWN: readonly string[] = [
  'training_operator_jobs_deleted_total',
  'training_operator_jobs_restarted_total',
  'muster_job_created_timestamp_seconds',
  // The number of desired replicas of the elastic role.
  'muster_job_elastic_replicas_granted',
  'kuberay_cluster_info',
  'kuberay_job_info',
  'kuberay_job_execution_duration_seconds',
  'kuberay_service_info',
  'kuberay_service_condition_ready',
  'kuberay_service_condition_upgrade_in_progress',
  'muster_raycronjob_last_schedule_timestamp_seconds',
  'muster_raycronjob_last_missed_timestamp_seconds',
  'controller_runtime_terminal_reconcile_errors_total',
  'workqueue_adds_total',
  'workqueue_retries_total',
  'workqueue_work_duration_seconds',
  'workqueue_unfinished_work_seconds',
];
