/** The head's Service and the objects with its ports, while the template of the head changes. */
import type { OwnedResource } from '@muster/common-job-controller';
import {
  INGRESSES,
  NETWORK_POLICIES,
  SERVICES,
  type Ingress,
  type KubeObject,
  type NetworkPolicy,
  type Pod,
  type RayHeadGroupSpec,
  type Service,
  type ServicePort,
} from '@muster/job-api';
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
  it.each(CHANGES)('selects the running head and its successor when %s', (_what, before, after) => {
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

type Head = Partial<RayHeadGroupSpec>;

function withHead(head: Head, ports: { name: string; containerPort: number }[] = []): ClusterWorld['given'] {
  return {
    head: { enableIngress: true, ...head },
    headContainer: { ports },
    spec: { networkPolicy: {} },
    labels: { 'ray.io/originated-from-crd': 'RayJob', 'ray.io/originated-from-cr-name': 'mnist' },
  };
}

const PORT_CHANGES: readonly (readonly [what: string, after: ClusterWorld['given'], dashboard: number])[] = [
  ['the ports of its container', withHead({}, [{ name: 'dashboard', containerPort: 9001 }]), 9001],
  ['the parameters of ray start', withHead({ rayStartParams: { 'dashboard-port': '9001', port: '9002' } }), 9001],
];

const KINDS = [SERVICES, INGRESSES, NETWORK_POLICIES];

/** The objects of the new cluster `given`, and its ready pods. */
function begun(given: ClusterWorld['given']) {
  const first = passOver({ given: given! });
  const resources = first.ownedResources.create.filter(({ resource }) => KINDS.includes(resource as never));
  const kept = resources.map(({ resource, object }): OwnedResource => ({
    kind: { resource, endsWithRun: true, trim: (whole) => whole },
    object,
  }));
  return { objects: kept, pods: first.create.pods.map(ready) };
}

function patches(world: ClusterWorld, objects: OwnedResource[]): Map<string, object> {
  const { change } = planWith(world, objects).ownedResources;
  return new Map(change.map(({ object, patch }) => [`${object.kind} ${object.metadata?.name}`, patch]));
}

function portsIn(patch: object | undefined): (readonly [string | undefined, number])[] {
  return ((patch as Service | undefined)?.spec?.ports ?? []).map(({ name, port }) => [name, port] as const);
}

describe.each(PORT_CHANGES)('the ports of the head Service when %s change', (_what, after, dashboard) => {
  const { objects, pods } = begun(withHead({}));
  const others = pods.slice(1);

  it('are those of the running head, also in dependent objects', () => {
    expect(patches({ given: after!, pods }, objects)).toEqual(new Map());
  });

  it('change once that head is gone, also in dependent objects', () => {
    const changed = patches({ given: after!, pods: others }, objects);
    expect(portsIn(changed.get('Service demo-head-svc'))).toContainEqual(['dashboard', dashboard]);
    const ingress = changed.get('Ingress demo-head-ingress') as Ingress | undefined;
    expect(ingress?.spec?.rules?.[0]?.http?.paths[0]?.backend.service?.port?.number).toBe(dashboard);
    const policy = changed.get('NetworkPolicy demo-head') as NetworkPolicy | undefined;
    expect(policy?.spec?.ingress?.[1]?.ports).toEqual([{ protocol: 'TCP', port: dashboard }]);
  });

  it('are those of the new head', () => {
    const next = begun(after);
    expect(patches({ given: after!, pods: next.pods }, next.objects)).toEqual(new Map());
  });
});

describe('the ports that a user writes into the head Service', () => {
  const users = (ports: ServicePort[]): Head => ({ headService: { spec: { ports } } });

  it('are added at once, beside those of the running head', () => {
    const { objects, pods } = begun(withHead(users([{ name: 'mine', port: 1 }])));
    const given = withHead({ ...users([{ name: 'mine', port: 2 }]), rayStartParams: { 'dashboard-port': '9001' } });
    const changed = portsIn(patches({ given: given!, pods }, objects).get('Service demo-head-svc'));
    expect(changed).toContainEqual(['mine', 2]);
    expect(changed).toContainEqual(['dashboard', 8265]);
  });

  it('are removed at once when the user removes them, although the head was created from another spec', () => {
    const given = withHead({ rayStartParams: { 'dashboard-port': '9001' } });
    const { objects, pods } = begun(withHead(users([{ name: 'mine', port: 1 }])));
    const changed = portsIn(patches({ given: given!, pods }, objects).get('Service demo-head-svc'));
    expect(changed.map(([name]) => name)).toEqual(['client', 'dashboard', 'gcs-server', 'metrics', 'serve']);
    expect(changed).toContainEqual(['dashboard', 8265]);
  });

  it('are replaced by the port of the running head that they replaced when the user removes them', () => {
    const { objects, pods } = begun(withHead(users([{ name: 'dashboard', port: 80, targetPort: 8265 }])));
    const changed = portsIn(patches({ given: withHead({})!, pods }, objects).get('Service demo-head-svc'));
    expect(changed).toContainEqual(['dashboard', 8265]);
  });

  it.each<[what: string, annotations: Record<string, string>]>([
    ['by an earlier Muster', {}],
    ['by KubeRay', { 'ray.io/kuberay-version': '1.4.0', 'ray.io/upgrade-strategy-recreate-hash': '1' }],
  ])('are distinguished from those of a running head that was created %s', (_what, changes) => {
    const given = withHead(users([{ name: 'mine', port: 1 }]));
    const { objects, pods } = begun(given);
    const [head, ...others] = pods as [Pod, ...Pod[]];
    const { 'muster.dev/head-ports': ports, ...annotations } = head.metadata?.annotations ?? {};
    expect(ports).toContain('dashboard=8265/TCP');
    const older = { ...head, metadata: { ...head.metadata, annotations: { ...annotations, ...changes } } };
    const { annotate } = planWith({ given: given!, pods: [older, ...others] }, objects);
    const added = annotate.map((each) => each.annotations['muster.dev/head-ports']?.split(',').toSorted());
    expect(added).toEqual([ports?.split(',').toSorted()]);
  });

  it('can belong to another type of Service', () => {
    const { objects, pods } = begun(withHead({ serviceType: 'NodePort' }));
    const [service, ...others] = objects.map((each) =>
      each.kind.resource === SERVICES && each.object.metadata?.name === 'demo-head-svc'
        ? { ...each, object: withNodePorts(each.object as Service) }
        : each,
    );
    const { objects: _objects, ...world } = { objects, given: withHead({ serviceType: 'LoadBalancer' }), pods };
    const patch = patches({ ...world, given: world.given! }, [service!, ...others]).get('Service demo-head-svc');
    expect((patch as Service).spec?.type).toBe('LoadBalancer');
    expect(JSON.stringify(patch)).not.toContain('nodePort');
  });
});

function withNodePorts(service: Service): Service {
  const ports = service.spec?.ports?.map((port, at) => ({ ...port, nodePort: 30_000 + at })) ?? [];
  return { ...service, spec: { ...service.spec, ports } };
}

describe('the head Service of a cluster with a head of KubeRay', () => {
  it('keeps its ports while that head runs', () => {
    const { objects, pods } = begun(withHead({}));
    const [head, ...others] = pods as [Pod, ...Pod[]];
    const annotations = { 'ray.io/kuberay-version': '1.4.0' };
    const theirs = { ...head, metadata: { ...head.metadata, annotations } };
    const given = withHead({}, [{ name: 'dashboard', containerPort: 9001 }]);
    expect(patches({ given: given!, pods: [theirs, ...others] }, objects)).toEqual(new Map());
  });
});
