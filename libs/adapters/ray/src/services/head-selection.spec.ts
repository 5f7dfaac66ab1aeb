/** The head's Service while the template of the head changes. */
import type { OwnedResource } from '@muster/common-job-controller';
import { SERVICES, type KubeObject, type Pod, type Service } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { passOver, planWith, ready, type ClusterWorld } from '../../test-support/cluster-worlds.ts';

type Labels = Readonly<Record<string, string>>;

const KUBERAY_SELECTOR = {
  'ray.io/cluster': 'demo',
  'ray.io/node-type': 'head',
  'ray.io/identifier': 'demo-head',
  'app.kubernetes.io/name': 'blue',
  'app.kubernetes.io/created-by': 'kuberay-operator',
};

function withHeadLabels(labels: Labels): ClusterWorld['given'] {
  const container = { name: 'ray-head', image: 'ray:2.60' };
  return { head: { template: { metadata: { labels: { ...labels } }, spec: { containers: [container] } } } };
}

function headServiceIn(objects: readonly { readonly object: KubeObject }[]): Service {
  const found = objects.find(({ object }) => object.metadata?.name === 'demo-head-svc');
  if (found === undefined) throw new Error('there is no head Service');
  return found.object as Service;
}

function owned(service: Service): OwnedResource {
  return { kind: { resource: SERVICES, endsWithRun: true, trim: (whole) => whole }, object: service };
}

/** The Service and the pods after the head template got `labels`. */
function afterChange(service: Service, pods: readonly Pod[], labels: Labels): Service {
  const { change } = planWith({ given: withHeadLabels(labels), pods }, [owned(service)]).ownedResources;
  const patch = change.find(({ object }) => object.metadata?.name === 'demo-head-svc')?.patch as Service | undefined;
  const selector = Object.entries({ ...service.spec?.selector, ...patch?.spec?.selector });
  const spec = {
    ...service.spec,
    ...patch?.spec,
    selector: Object.fromEntries(selector.filter(([, value]) => value !== null)),
  };
  return { ...service, spec };
}

function isSelected({ spec }: Service, { metadata }: Pod): boolean {
  return Object.entries(spec?.selector ?? {}).every(([key, value]) => metadata?.labels?.[key] === value);
}

const CHANGES: readonly (readonly [what: string, before: Labels, after: Labels])[] = [
  'app.kubernetes.io/name',
  'app.kubernetes.io/created-by',
  'ray.io/identifier',
  'team',
].flatMap((key): [string, Labels, Labels][] => [
  [`${key} is changed`, { [key]: 'blue' }, { [key]: 'green' }],
  [`${key} is added`, {}, { [key]: 'green' }],
  [`${key} is removed`, { [key]: 'blue' }, {}],
]);

describe('the head Service', () => {
  it.each(CHANGES)('selects the running head and the one that replaces it when %s', (_what, before, after) => {
    const first = passOver({ given: withHeadLabels(before) });
    const service = headServiceIn(first.ownedResources.create);
    const [running, ...others] = first.create.pods.map(ready);
    expect(isSelected(service, running!)).toBe(true);

    const changed = afterChange(service, [running!, ...others], after);
    expect(isSelected(changed, running!)).toBe(true);
    const [replacement] = passOver({ given: withHeadLabels(after) }).create.pods;
    expect(isSelected(changed, replacement!)).toBe(true);
    for (const worker of others) expect(isSelected(changed, worker)).toBe(false);
  });

  it('of KubeRay loses the labels that a template can change from its selector', () => {
    const first = passOver({ given: withHeadLabels({ 'app.kubernetes.io/name': 'blue' }) });
    const made = headServiceIn(first.ownedResources.create);
    const service = { ...made, spec: { ...made.spec, selector: KUBERAY_SELECTOR } };
    const pods = first.create.pods.map(ready);
    const changed = afterChange(service, pods, { 'app.kubernetes.io/name': 'green' });
    expect(changed.spec?.selector).toEqual({ 'ray.io/cluster': 'demo', 'ray.io/node-type': 'head' });
    expect(isSelected(changed, pods[0]!)).toBe(true);
  });
});
