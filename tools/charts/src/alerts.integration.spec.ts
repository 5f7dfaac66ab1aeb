/** Prometheus' promtool checks and runs the alerts of the charts. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommand, terminalProgress } from '@muster/cluster';
import { FRAMEWORKS, PODS, type KubeObject, type Resource } from '@muster/job-api';
import { alerts } from '@muster/monitoring';
import { BUILD, PROCESS } from '@muster/metrics';
import { ensurePrometheus } from '@muster/prometheus';
import { eventually, testCluster } from '@muster/testing';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { ALERT_CASES, type AlertCase } from '../test-support/alert-cases.ts';
import { helm, HELM_TIMEOUT_MS, rendered, type Values } from '../test-support/helm.ts';
import { ofKind } from '../test-support/of-kind.ts';
import { subjectOf } from './subject-of.ts';

type Labels = Readonly<Record<string, string>>;

const RUNBOOKS = 'https://docs.example/runbooks/';
const FRAMEWORK = 'pytorch-elastic';
/** Charts whose alerts have cases. */
const WITH_CASES = [FRAMEWORK, 'ray'] as const;

interface Rule {
  readonly alert: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

interface PrometheusRule extends KubeObject {
  readonly spec: { readonly groups: readonly { readonly rules: readonly Rule[] }[] };
}

const DEPLOYMENTS: Resource<KubeObject & { spec: object }> = { group: 'apps', version: 'v1', kind: 'Deployment', plural: 'deployments', namespaced: true };

const cluster = await testCluster();

let promtool: string;

beforeAll(async () => {
  await helm(['version']);
  ({ promtool } = await ensurePrometheus(terminalProgress()));
}, HELM_TIMEOUT_MS);

async function rulesOf(framework: string, values: Values = {}): Promise<PrometheusRule['spec']> {
  const objects = await rendered(framework, { alerts: { enabled: true, runbookUrl: RUNBOOKS }, ...values });
  return ofKind<PrometheusRule>(objects, 'PrometheusRule').spec;
}

/** Runs promtool on files of JSON, which YAML contains. */
async function runPromtool(args: readonly string[], files: Readonly<Record<string, unknown>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'muster-rules-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), JSON.stringify(content));
  return (await runCommand(promtool, args, { cwd: folder })).stdout;
}

/**
 * Fails with the output of promtool if an alert is not as expected.
 * @param scraped labels of the series after the scrape
 */
async function play(
  spec: PrometheusRule['spec'],
  { alert, series, atMinute, labels = {}, message }: AlertCase,
  scraped: (labels: Labels) => Labels,
): Promise<void> {
  const rule = spec.groups.flatMap(({ rules }) => rules).find((each) => each.alert === alert);
  if (rule === undefined) throw new Error(`there is no alert ${alert}`);
  const firing = {
    exp_labels: { ...rule.labels, ...labels },
    exp_annotations: { ...rule.annotations, description: message },
  };
  const test = {
    interval: '1m',
    input_series: series.map((each) => ({ series: `${each.name}${labelsText(scraped(each.labels))}`, values: each.values })),
    alert_rule_test: [
      { eval_time: `${atMinute}m`, alertname: alert, exp_alerts: message === undefined ? [] : [firing] },
    ],
  };
  const files = { 'rules.json': spec, 'test.json': { rule_files: ['rules.json'], evaluation_interval: '1m', tests: [test] } };
  await runPromtool(['test', 'rules', 'test.json'], files);
}

function labelsText(labels: Labels): string {
  return `{${Object.entries(labels).map(([label, value]) => `${label}=${JSON.stringify(value)}`).join(',')}}`;
}

it.each(Object.keys(FRAMEWORKS))('promtool accepts the alerts of %s', async (framework) => {
  const spec = await rulesOf(framework);
  const count = spec.groups.flatMap(({ rules }) => rules).length;
  expect(await runPromtool(['check', 'rules', '--lint-fatal', 'rules.json'], { 'rules.json': spec })).toContain(`${count} rules found`);
});

it('has a case that fires and one that does not for each alert', () => {
  const names = WITH_CASES.flatMap((framework) => alerts(subjectOf(framework)).map(({ name }) => name));
  const withCases = (isFiring: boolean) =>
    new Set(ALERT_CASES.filter(({ message }) => (message !== undefined) === isFiring).map(({ alert }) => alert));
  expect(names.filter((name) => !withCases(true).has(name) || !withCases(false).has(name))).toEqual([]);
});

describe('the alert', () => {
  const specs = new Map<string, PrometheusRule['spec']>();
  const playOn = (each: AlertCase, scraped: (labels: Labels) => Labels) => play(specs.get(each.framework ?? FRAMEWORK)!, each, scraped);

  beforeAll(async () => {
    for (const framework of WITH_CASES) specs.set(framework, await rulesOf(framework));
  });

  it.each(ALERT_CASES.filter(({ message }) => message !== undefined))('$alert fires when $when', async (each) => {
    await playOn(each, (labels) => ({ namespace: 'muster', ...labels }));
  });

  it.each(ALERT_CASES.filter(({ message }) => message === undefined))('$alert does not fire when $when', async (each) => {
    await playOn(each, (labels) => ({ namespace: 'muster', ...labels }));
  });

  it.each(ALERT_CASES.filter(({ message, series }) => message !== undefined && series.length > 0))(
    '$alert does not fire for another release',
    async (each) => {
      const silent = { ...each, message: undefined };
      await playOn(silent, (labels) => ({ ...labels, namespace: 'elsewhere' }));
      await playOn(silent, ({ pod = '', ...labels }) => ({ ...labels, namespace: 'muster', pod: `${pod}-0` }));
    },
  );
});

describe('the names that Kubernetes gives to the pods of a Deployment', () => {
  const LENGTHS = [45, 46, 47, 50, 55, 56, 57, 58, 63];
  const deployments = LENGTHS.map((length) => `operator${'-of-a-long-name'.repeat(4)}`.slice(0, length).replace(/-$/, 'x'));
  let pods: ReadonlyMap<string, string>;

  beforeAll(async () => {
    const namespace = await cluster.namespace();
    for (const name of deployments) {
      const matchLabels = { deployment: name };
      const template = { metadata: { labels: matchLabels }, spec: { containers: [{ name: 'main', image: 'registry.example/main:1' }] } };
      const object = { metadata: { name, namespace }, spec: { replicas: 1, selector: { matchLabels }, template } };
      await cluster.client.create(DEPLOYMENTS, object);
    }
    const made = async () => {
      const { items } = await cluster.client.list(PODS, { namespace });
      return new Map(items.map(({ metadata }) => [metadata?.labels?.['deployment'] ?? '', metadata?.name ?? '']));
    };
    await eventually(async () => (await made()).size === deployments.length, { withinMs: 60_000, describe: async () => [...(await made())] });
    pods = await made();
  });

  it.each(deployments.map((name) => [name.length, name] as const))(
    'are those that the alerts of a release select, if its name has %d characters',
    async (_length, fullnameOverride) => {
      const spec = await rulesOf(FRAMEWORK, { fullnameOverride });
      const pod = pods.get(fullnameOverride) ?? '';
      const scraped = (labels: Labels) => ({ ...labels, pod, namespace: 'muster' });
      const info = { name: BUILD.info.name, labels: { version: '1.0.0', framework: FRAMEWORK }, values: '1x20' };
      const lag = { name: PROCESS.eventLoopLagP99.name, labels: {}, values: '0.8x20' };
      const series = [info, lag];
      await play(spec, { alert: 'MusterOperatorDown', when: 'it runs', series, atMinute: 10 }, scraped);
      const message =
        `The event loop of pod ${pod} is blocked for 800ms or more at a time. The pod may lose its Lease or fail its probes. ` +
        'Check for a CPU limit, a full node, or too many jobs.';
      await play(spec, { alert: 'MusterEventLoopBlocked', when: 'it is busy', series, atMinute: 10, labels: { pod }, message }, scraped);
    },
  );
});
