/** Properties of every chart with any values. */
import { readdir } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { crdFor, FRAMEWORKS, type FrameworkName, type KubeObject } from '@muster/job-api';
import { beforeAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { chartFolder, helm, HELM_TIMEOUT_MS, IMAGE, rendered, renderedText, type Values } from '../test-support/helm.ts';
import { namesOfKind } from '../test-support/of-kind.ts';
import { chartFiles } from './chart-files.ts';
import { chartValues } from './values/chart-values.ts';
import { leafValues } from './values/leaf-values.ts';

const NAMES = Object.keys(FRAMEWORKS) as FrameworkName[];

beforeAll(() => helm(['version']), HELM_TIMEOUT_MS);

describe.each(NAMES)('the chart %s', (framework) => {
  let objects: KubeObject[];

  beforeAll(async () => {
    objects = await rendered(framework, {});
  });

  it('passes helm lint --strict', async () => {
    const output = await helm(['lint', '--strict', chartFolder(framework), '--set', `image.repository=${IMAGE.repository}`]);
    expect(output).toContain('1 chart(s) linted, 0 chart(s) failed');
  });

  it('installs one operator with its ServiceAccount, roles and Service', () => {
    const name = `rel-${framework}`;
    expect(namesOfKind(objects, 'Deployment')).toEqual([`muster/${name}`]);
    expect(namesOfKind(objects, 'ServiceAccount')).toEqual([`muster/${name}`]);
    expect(namesOfKind(objects, 'Service')).toEqual([`muster/${name}`]);
    expect(namesOfKind(objects, 'ClusterRoleBinding')).toEqual([`muster:${name}`, `muster:${name}:leases`]);
    expect(namesOfKind(objects, 'RoleBinding')).toEqual([`muster/${name}-lease`]);
  });

  it('has the CRDs of its kinds, which helm uninstall keeps', () => {
    const crds = objects.filter(({ kind }) => kind === 'CustomResourceDefinition');
    const expected = FRAMEWORKS[framework].map((each) => crdFor(each)).toSorted(byName);
    expect(crds.toSorted(byName).map(withoutMetadata)).toEqual(expected.map(withoutMetadata));
    for (const { metadata } of crds) expect(metadata?.annotations).toEqual({ 'helm.sh/resource-policy': 'keep' });
  });

  it('labels every object as part of the release, and names the operator by its framework', () => {
    for (const { kind, metadata } of objects.filter((object) => object.kind !== 'Pod')) {
      expect(metadata?.labels, `${kind} ${metadata?.name}`).toMatchObject({
        'app.kubernetes.io/name': `muster-${framework}`,
        'app.kubernetes.io/instance': 'rel',
        'app.kubernetes.io/part-of': 'muster',
        'app.kubernetes.io/managed-by': 'Helm',
      });
    }
  });

  it('renders deterministically', async () => {
    expect(await rendered(framework, {})).toEqual(objects);
  });

  it('has a description and a default for each value', () => {
    for (const { path, schema } of leafValues(chartValues(framework))) {
      expect(schema.description, path).toMatch(/\.$/);
      expect(schema, path).toHaveProperty('default');
    }
  });
});

/** Text of one kind, by number. */
type Word = (at: number) => string;

const PLAIN: Word = (at) => `word-${at}`;

/** All switches on, with the text in every value that is a name. */
function valuesOf(word: Word): readonly Values[] {
  const all = {
    image: IMAGE,
    networkPolicy: { enabled: true, ingressFrom: [{ podSelector: {} }], apiServerCIDRs: ['::/0', '10.0.0.0/8'] },
    podDisruptionBudget: { enabled: true },
    alerts: { enabled: true, alertLabels: { team: word(0) } },
    tenancy: { enforceCreatorRights: true },
    operator: { kueue: 'Own', forceDeletePodsOnLostNodes: true },
    gangScheduling: { scheduler: 'scheduler-plugins', schedulerName: word(2) },
    topologySpreadConstraints: [{ maxSkew: 1, topologyKey: word(0), whenUnsatisfiable: 'ScheduleAnyway' }],
    crds: { install: false },
    commonLabels: { own: word(0) },
    commonAnnotations: { own: word(0) },
    leaderElection: { namespace: word(1), id: word(2) },
    serviceAccount: { name: word(3) },
    dashboards: { enabled: true, namespace: word(4), label: word(5), labelValue: word(6), folder: word(7) },
  };
  const podMonitor = { metrics: { podMonitor: { enabled: true } } };
  return [
    { ...all, ...podMonitor, fullnameOverride: word(8), watch: { scope: 'namespaces', namespaces: [word(1), word(2)] } },
    { ...all, namespaceOverride: word(8), watch: { scope: 'own' } },
    { ...all, metrics: { serviceMonitor: { enabled: true } } },
  ];
}

/** YAML parses digits and words such as `on` as other types unless they are quoted. */
describe.each([...NAMES, 'muster'])('the chart %s quotes', (chart) => {
  let ofPlainWords: string[][];

  beforeAll(async () => {
    ofPlainWords = await notTextOf(PLAIN);
  });

  async function notTextOf(word: Word): Promise<string[][]> {
    const found: string[][] = [];
    for (const own of valuesOf(word)) {
      const all = chart === 'muster' ? Object.fromEntries(NAMES.map((name) => [name, { enabled: true, ...own }])) : own;
      found.push(notText(await renderedText(chart, all, { release: word(0), namespace: word(1) })));
    }
    return found;
  }

  it.each<[what: string, word: Word]>([
    ['digits', (at) => `${1_000_000 + at}`],
    ['words of YAML 1.1', (at) => ['on', 'off', 'yes', 'no', 'null', 'true', 'false', 'y', 'n'][at] ?? ''],
  ])('names and namespaces that are %s', async (_what, word) => {
    expect(await notTextOf(word)).toEqual(ofPlainWords);
  });
});

/** Values that are not strings, with their paths. */
function notText(text: string): string[] {
  const found: string[] = [];
  const visit = (value: unknown, path: string): void => {
    if (typeof value === 'string') return;
    if (typeof value !== 'object' || value === null) return void found.push(`${path}=${JSON.stringify(value)}`);
    for (const [key, each] of Object.entries(value)) visit(each, `${path}.${key}`);
  };
  for (const document of parseAllDocuments(text, { version: '1.1' })) {
    const object = document.toJS() as KubeObject | null;
    if (object !== null) visit(object, object.kind ?? '');
  }
  return found.sort();
}

it.each([...NAMES, 'muster'])('the chart %s has only generated files', async (chart) => {
  const folder = chartFolder(chart);
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => !entry.isDirectory()).map(({ parentPath, name }) => join(parentPath, name));
  const generated = [...(await chartFiles('0.1.0')).keys()].filter((path) => path.startsWith(`charts/${chart}/`));
  expect(files.map((file) => relative(dirname(dirname(folder)), file)).sort()).toEqual(generated.sort());
});

function byName(a: KubeObject, b: KubeObject): number {
  return (a.metadata?.name ?? '').localeCompare(b.metadata?.name ?? '');
}

function withoutMetadata({ metadata, ...rest }: KubeObject): object {
  return { ...rest, name: metadata?.name };
}
