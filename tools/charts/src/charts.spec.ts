/** What holds for every chart, whatever its values. */
import { readdir } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { crdFor, FRAMEWORKS, type FrameworkName, type KubeObject } from '@muster/job-api';
import { beforeAll, describe, expect, it } from 'vitest';
import { chartFolder, helm, HELM_TIMEOUT_MS, IMAGE, rendered } from '../test-support/helm.ts';
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
    const said = await helm(['lint', '--strict', chartFolder(framework), '--set', `image.repository=${IMAGE.repository}`]);
    expect(said).toContain('1 chart(s) linted, 0 chart(s) failed');
  });

  it('installs one operator with an account, its rights and its Service', () => {
    const name = `rel-${framework}`;
    expect(namesOfKind(objects, 'Deployment')).toEqual([`muster/${name}`]);
    expect(namesOfKind(objects, 'ServiceAccount')).toEqual([`muster/${name}`]);
    expect(namesOfKind(objects, 'Service')).toEqual([`muster/${name}`]);
    expect(namesOfKind(objects, 'ClusterRoleBinding')).toEqual([`muster:${name}`]);
    expect(namesOfKind(objects, 'RoleBinding')).toEqual([`muster/${name}-lease`]);
  });

  it('has the CRDs of its kinds as the API says, kept when the release goes', () => {
    const crds = objects.filter(({ kind }) => kind === 'CustomResourceDefinition');
    expect(crds.map(withoutMetadata)).toEqual(FRAMEWORKS[framework].map((each) => withoutMetadata(crdFor(each))));
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

  it('makes the same of the same values', async () => {
    expect(await rendered(framework, {})).toEqual(objects);
  });

  it('says of each value what it means, and has a default for it', () => {
    for (const { path, schema } of leafValues(chartValues(framework))) {
      expect(schema.description, path).toMatch(/\.$/);
      expect(schema, path).toHaveProperty('default');
    }
  });
});

it.each([...NAMES, 'muster'])('the chart %s has no file that is not generated', async (chart) => {
  const folder = chartFolder(chart);
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => !entry.isDirectory()).map(({ parentPath, name }) => join(parentPath, name));
  const generated = [...(await chartFiles('0.1.0')).keys()].filter((path) => path.startsWith(`charts/${chart}/`));
  expect(files.map((file) => relative(dirname(dirname(folder)), file)).sort()).toEqual(generated.sort());
});

function withoutMetadata({ metadata, ...rest }: KubeObject): object {
  return { ...rest, name: metadata?.name };
}
