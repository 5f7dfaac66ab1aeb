/** Dashboards and alerts of a chart, by values. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { FRAMEWORKS, type KubeObject } from '@muster/job-api';
import { beforeAll, describe, expect, it } from 'vitest';
import { chartFolder, helm, HELM_TIMEOUT_MS, IMAGE, rendered, renderedText, type Values } from '../test-support/helm.ts';
import { namesOfKind, ofKind } from '../test-support/of-kind.ts';

interface ConfigMap extends KubeObject {
  readonly data: Readonly<Record<string, string>>;
}

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly for: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

interface PrometheusRule extends KubeObject {
  readonly spec: { readonly groups: readonly { readonly name: string; readonly rules: readonly Rule[] }[] };
}

beforeAll(() => helm(['version']), HELM_TIMEOUT_MS);

describe('the dashboards', () => {
  const mapsOf = async (dashboards: object) =>
    (await rendered('ray', { dashboards: { enabled: true, ...dashboards } })).filter(
      (object): object is ConfigMap => object.kind === 'ConfigMap',
    );

  it('are one ConfigMap each, with the label for the sidecar of Grafana', async () => {
    const maps = await mapsOf({});
    expect(namesOfKind(maps, 'ConfigMap')).toEqual(['job', 'jobs', 'operator', 'time'].map((name) => `muster/rel-ray-dashboard-${name}`));
    for (const { metadata, data } of maps) {
      expect(metadata?.labels).toMatchObject({ grafana_dashboard: '1', 'app.kubernetes.io/part-of': 'muster' });
      expect(metadata?.annotations).toBeUndefined();
      const [[file = '', json = ''] = [], ...more] = Object.entries(data);
      expect(more).toEqual([]);
      expect(file).toBe(`${(JSON.parse(json) as { uid: string }).uid}.json`);
    }
  });

  it('are rendered unchanged, with the placeholders of Grafana', async () => {
    const maps = await mapsOf({});
    const text = await readFile(join(chartFolder('ray'), 'files/dashboards/jobs.json'), 'utf8');
    expect(text).toContain('{{reason}}');
    expect(maps.map(({ data }) => data['muster-ray-jobs.json']).filter((json) => json !== undefined)).toEqual([text]);
  });

  it('are small enough for kubectl apply, which stores an object in an annotation of at most 256 KiB', async () => {
    for (const map of await mapsOf({})) expect(JSON.stringify(map).length).toBeLessThan(200 * 1024);
  });

  it('have the namespace, labels and annotations of the values', async () => {
    const [map] = await mapsOf({
      namespace: 'grafana',
      label: 'dashboards',
      labelValue: 'yes',
      folderAnnotation: 'dir',
      folder: 'Training',
      annotations: { owner: 'ops' },
    });
    expect(map?.metadata).toMatchObject({
      namespace: 'grafana',
      labels: { dashboards: 'yes' },
      annotations: { dir: 'Training', owner: 'ops' },
    });
    expect(map?.metadata?.labels).not.toHaveProperty('grafana_dashboard');
  });
});

describe('the alerts', () => {
  const ruleOf = async (alerts: object, values: Values = {}) =>
    ofKind<PrometheusRule>(await rendered('pytorch-elastic', { alerts: { enabled: true, ...alerts }, ...values }), 'PrometheusRule');

  async function rulesOf(alerts: object, values: Values = {}): Promise<ReadonlyMap<string, Rule>> {
    const { spec } = await ruleOf(alerts, values);
    return new Map(spec.groups.flatMap(({ rules }) => rules).map((rule) => [rule.alert, rule]));
  }

  it('select the pods of the release, and have its labels', async () => {
    const { metadata, spec } = await ruleOf({ labels: { release: 'prom' } });
    expect(metadata).toMatchObject({ name: 'rel-pytorch-elastic', namespace: 'muster', labels: { release: 'prom' } });
    expect(spec.groups.map(({ name }) => name)).toEqual(['muster.rel-pytorch-elastic']);
    for (const { alert, expr, labels } of spec.groups.flatMap(({ rules }) => rules)) {
      expect(expr, alert).toContain('namespace="muster",pod=~"rel-pytorch-elastic-[a-z0-9]{1,10}-[a-z0-9]{5}"');
      expect(expr, alert).not.toContain('%');
      expect(labels, alert).toEqual({
        severity: expect.stringMatching(/^(critical|warning)$/) as string,
        framework: 'pytorch-elastic',
        namespace: 'muster',
      });
    }
  });

  async function selectorOf(fullnameOverride: string): Promise<(pod: string) => boolean> {
    const { expr = '' } = (await rulesOf({}, { fullnameOverride })).get('MusterOperatorDown') ?? {};
    const [, pattern = ''] = /pod=~"([^"]+)"/.exec(expr) ?? [];
    return (pod) => new RegExp(`^(?:${pattern})$`).test(pod);
  }

  it.each([20, 45, 46, 47, 48, 55, 56, 57, 58, 63])('select the pods of a Deployment whose name has %d characters', async (length) => {
    const name = nameOf(length);
    const isSelected = await selectorOf(name);
    const pods = ['6c8d9b7f54', '7d8f9c5b4', '5b6d7c8f'].map((hash) => podNameOf(name, hash));
    expect(pods.filter((pod) => !isSelected(pod))).toEqual([]);
    expect(isSelected(`${pods[0]}-0`)).toBe(false);
  });

  it.each([20, 45, 46, 47, 48])(
    'select no pods of Deployments whose names begin with that of the release, which has %d characters',
    async (length) => {
      const name = nameOf(length);
      const isSelected = await selectorOf(name);
      const others = [`${name}-b`, `${name}-blue`, `${name}-canary`, `${name}9`];
      expect(others.map((other) => podNameOf(other, '6c8d9b7f54')).filter(isSelected)).toEqual([]);
    },
  );

  it('select the pods of a Deployment whose name has a dot', async () => {
    const { expr } = (await rulesOf({}, { fullnameOverride: 'muster.ray' })).get('MusterOperatorDown') ?? {};
    expect(expr).toContain('pod=~"muster[.]ray-[a-z0-9]{1,10}-[a-z0-9]{5}"');
  });

  it('use the settings of single alerts', async () => {
    const rules = await rulesOf({
      alertLabels: { team: 'ml' },
      rules: {
        MusterReconcileSlow: { for: '1m30s', severity: 'info', threshold: 2.5 },
        MusterNoLeader: { enabled: false },
      },
    });
    expect(rules.get('MusterReconcileSlow')).toMatchObject({
      for: '1m30s',
      labels: { severity: 'info', team: 'ml' },
      expr: expect.stringMatching(/ > 2\.5$/) as string,
    });
    expect(rules.has('MusterNoLeader')).toBe(false);
    expect(rules.has('MusterSeveralLeaders')).toBe(true);
  });

  it('link to their runbooks', async () => {
    const byDefault = (await rulesOf({})).get('MusterNoLeader');
    expect(byDefault?.annotations['runbook_url']).toBe('docs/administrators/runbooks/MusterNoLeader.md');
    const elsewhere = (await rulesOf({ runbookUrl: 'https://wiki.example/muster/' })).get('MusterNoLeader');
    expect(elsewhere?.annotations['runbook_url']).toBe('https://wiki.example/muster/MusterNoLeader.md');
  });

  it('leave out alerts about single jobs without metrics.perJob', async () => {
    const aboutJobs = ['MusterJobWaiting', 'MusterJobRestarting', 'MusterJobStalled', 'MusterJobProgressUnknown', 'MusterElasticBelowMinimum'];
    const rules = [await rulesOf({}), await rulesOf({}, { metrics: { perJob: false } })];
    expect(rules.map((each) => aboutJobs.filter((name) => each.has(name)))).toEqual([aboutJobs, []]);
    expect(rules[1]?.has('MusterJobsFailing')).toBe(true);
  });

  it.each<[limits: object | null, bytes: string | undefined]>([
    [{ memory: '512Mi' }, '483183820'],
    [{ memory: '1.5Gi' }, '1449551462'],
    [{ memory: '2G' }, '1800000000'],
    [{ memory: '1T' }, '900000000000'],
    [{ memory: '2Ti' }, '1979120929996'],
    [{ memory: '1P' }, '900000000000000'],
    [{ memory: '1Pi' }, '1013309916158361'],
    [{ memory: '1E' }, '900000000000000000'],
    [{ memory: '1Ei' }, '1037629354146162304'],
    // The API server limits larger quantities to 2^63 - 1.
    [{ memory: '16Ei' }, '8301034833169298432'],
    [{ memory: '536870912000m' }, '483183820'],
    [{ memory: '1500000000000000000n' }, '1350000000'],
    [{ memory: '500000000000000u' }, '450000000'],
    [{ memory: '1e9' }, '900000000'],
    [{ memory: '12E8' }, '1080000000'],
    [{ memory: '+1Gi' }, '966367641'],
    [{ memory: '1.Gi' }, '966367641'],
    [{ memory: '.5Gi' }, '483183820'],
    [{ memory: 1.5e9 }, '1350000000'],
    // No limit.
    [{ memory: '0' }, undefined],
    [{ memory: 0 }, undefined],
    [{ memory: '-1Gi' }, undefined],
    [{ memory: '' }, undefined],
    [{ memory: '1Kib' }, undefined],
    [{ memory: 'GiGi' }, undefined],
    [{ memory: 1_000_000_000 }, '900000000'],
    [{ memory: '512MiB' }, undefined],
    [{ memory: null }, undefined],
    [null, undefined],
  ])('derive from the limits %j the memory threshold %s', async (limits, bytes) => {
    const expr = (await rulesOf({}, { resources: { limits } })).get('MusterMemoryHigh')?.expr;
    expect(expr?.split(' > ')[1]).toBe(bytes);
  });

  it.each<[what: string, rules: object]>([
    ['an unknown alert', { MusterNope: { enabled: false } }],
    ['an invalid duration', { MusterNoLeader: { for: '5 minutes' } }],
    ['a threshold for an alert without one', { MusterNoLeader: { threshold: 1 } }],
  ])('reject %s', async (_what, rules) => {
    await expect(ruleOf({ rules })).rejects.toThrow(/alerts\/rules/);
  });
});

it.each(['muster', ...Object.keys(FRAMEWORKS)])('a release of %s fits into one Secret of 1 MiB, in which Helm stores it', async (chart) => {
  const all = { image: IMAGE, dashboards: { enabled: true }, alerts: { enabled: true } };
  const each = Object.fromEntries(Object.keys(FRAMEWORKS).map((name) => [name, { enabled: true, ...all }]));
  const manifest = await renderedText(chart, chart === 'muster' ? each : all);
  // Helm stores the chart without its subcharts, and the rendered manifest, compressed and in base64.
  const release = gzipSync(JSON.stringify({ manifest, files: await textsIn(chartFolder(chart)) })).toString('base64');
  expect(release.length).toBeLessThan(800 * 1024);
});

function nameOf(length: number): string {
  return 'operator-for-pytorch-'.repeat(4).slice(0, length).replace(/-$/, 'x');
}

/** The name that Kubernetes gives to a pod of the Deployment, as checked in `alerts.integration.spec.ts`. */
function podNameOf(deployment: string, hash: string): string {
  return `${`${deployment}-${hash}-`.slice(0, 58)}x2k9p`;
}

/** All files in base64, as Helm stores them, without links to other charts. */
async function textsIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  return Promise.all(files.map((file) => readFile(file, 'base64')));
}
