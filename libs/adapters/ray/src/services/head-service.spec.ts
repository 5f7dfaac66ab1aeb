import type { RayHeadGroupSpec, ServicePort } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { clusterOf } from '../../test-support/cluster-models.ts';
import { headIngress } from './head-ingress.ts';
import { headService } from './head-service.ts';
import { headlessService } from './headless-service.ts';

const SELECTOR = { 'ray.io/cluster': 'demo', 'ray.io/node-type': 'head' };
const LABELS = {
  ...SELECTOR,
  'ray.io/identifier': 'demo-head',
  'app.kubernetes.io/name': 'kuberay',
  'app.kubernetes.io/created-by': 'kuberay-operator',
  'app.kubernetes.io/managed-by': 'muster',
};

function port(name: string, number: number): ServicePort {
  return { name, protocol: 'TCP', port: number, targetPort: number, appProtocol: 'tcp' };
}

const DEFAULT_PORTS = [
  port('client', 10001),
  port('dashboard', 8265),
  port('gcs-server', 6379),
  port('metrics', 8080),
  port('serve', 8000),
];

describe('the Service of the head', () => {
  it('is headless, has named ports of Ray, and exists before the head is ready', () => {
    expect(headService(clusterOf())).toEqual({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'demo-head-svc', namespace: 'team', labels: LABELS },
      spec: { clusterIP: 'None', publishNotReadyAddresses: true, selector: SELECTOR, ports: DEFAULT_PORTS },
    });
  });

  it('has the ports that the Ray container declares, and one for metrics', () => {
    const ports = [
      { name: 'gcs', containerPort: 6380 },
      { containerPort: 9999 },
      { name: 'dashboard', containerPort: 8266 },
    ];
    expect(headService(clusterOf({ headContainer: { ports } })).spec?.ports).toEqual([
      port('9999-port', 9999),
      port('dashboard', 8266),
      port('gcs', 6380),
      port('metrics', 8080),
    ]);
  });

  it('has one port for metrics if the container declares it', () => {
    const byName = [{ name: 'metrics', containerPort: 9000 }];
    expect(headService(clusterOf({ headContainer: { ports: byName } })).spec?.ports).toEqual([port('metrics', 9000)]);
    const byNumber = [{ name: 'prom', containerPort: 8080 }];
    expect(headService(clusterOf({ headContainer: { ports: byNumber } })).spec?.ports).toEqual([port('prom', 8080)]);
  });

  it("follows Ray's port parameters", () => {
    const rayStartParams = {
      port: '1',
      'dashboard-port': '2',
      'ray-client-server-port': '3',
      'metrics-export-port': '4',
    };
    expect(headService(clusterOf({ head: { rayStartParams } })).spec?.ports).toEqual([
      port('client', 3),
      port('dashboard', 2),
      port('gcs-server', 1),
      port('metrics', 4),
      port('serve', 8000),
    ]);
  });

  it.each(['0', '65536', '99999'])('has the usual port in place of %s, which is no port', (number) => {
    const rayStartParams = { 'metrics-export-port': number };
    expect(headService(clusterOf({ head: { rayStartParams } })).spec?.ports).toEqual(DEFAULT_PORTS);
  });

  it('has a number of two parameters once', () => {
    const { ports = [] } = headService(clusterOf({ head: { rayStartParams: { port: '8265' } } })).spec ?? {};
    expect(ports.map(({ name }) => name)).toEqual(['client', 'dashboard', 'metrics', 'serve']);
  });

  it.each<[RayHeadGroupSpec['serviceType'], object]>([
    ['ClusterIP', { type: 'ClusterIP', clusterIP: 'None', publishNotReadyAddresses: true }],
    ['', { clusterIP: 'None', publishNotReadyAddresses: true }],
    ['NodePort', { type: 'NodePort' }],
    ['LoadBalancer', { type: 'LoadBalancer' }],
  ])('of type %j', (serviceType, expected) => {
    const {
      selector: _selector,
      ports: _ports,
      ...spec
    } = headService(clusterOf({ head: { serviceType: serviceType! } })).spec!;
    expect(spec).toEqual(expected);
  });

  it("has the annotations of the cluster's headServiceAnnotations", () => {
    const service = headService(clusterOf({ spec: { headServiceAnnotations: { a: '1' } } }));
    expect(service.metadata?.annotations).toEqual({ a: '1' });
  });

  it('has the labels of the head, and selects it by those that no template can change', () => {
    const template = { metadata: { labels: { 'app.kubernetes.io/name': 'mine' } }, spec: { containers: [] } };
    const service = headService(clusterOf({ head: { template } }));
    expect(service.spec?.selector).toEqual(SELECTOR);
    expect(service.metadata?.labels).toEqual({ ...LABELS, 'app.kubernetes.io/name': 'mine' });
  });

  describe('of the user', () => {
    const users = {
      metadata: {
        name: 'front',
        namespace: 'other',
        labels: { mine: '1', 'ray.io/cluster': 'other' },
        annotations: { a: 'user', b: 'user' },
      },
      spec: {
        type: 'LoadBalancer',
        clusterIP: '10.0.0.1',
        selector: { mine: '1' },
        ports: [{ name: 'ui', port: 80, targetPort: 8265 }],
      },
    };

    it('keeps its name, type, address and ports, but selects the head', () => {
      const cluster = clusterOf({
        head: { headService: users, serviceType: 'NodePort' },
        spec: { headServiceAnnotations: { a: 'cluster' } },
      });
      expect(headService(cluster)).toEqual({
        apiVersion: 'v1',
        kind: 'Service',
        metadata: {
          name: 'front',
          namespace: 'team',
          labels: { mine: '1', ...LABELS },
          annotations: { a: 'cluster', b: 'user' },
        },
        spec: {
          type: 'LoadBalancer',
          clusterIP: '10.0.0.1',
          selector: SELECTOR,
          ports: [{ name: 'ui', port: 80, targetPort: 8265 }, ...DEFAULT_PORTS],
        },
      });
    });

    it('has the head’s name and type if it has neither, and is not headless', () => {
      const service = headService(clusterOf({ head: { headService: { spec: {} }, serviceType: 'NodePort' } }));
      expect(service.metadata?.name).toBe('demo-head-svc');
      expect(service.spec).toEqual({ type: 'NodePort', selector: SELECTOR, ports: DEFAULT_PORTS });
      expect(headService(clusterOf({ head: { headService: {} } })).spec).not.toHaveProperty('clusterIP');
    });

    it('gets a name for each port of the user without one, which a Service with several ports needs', () => {
      const ports = [
        { port: 80, targetPort: 8265 },
        { name: '', port: 81 },
      ];
      const service = headService(clusterOf({ head: { headService: { spec: { ports } } } }));
      expect(service.spec?.ports?.slice(0, 2)).toEqual([
        { name: '80-port', port: 80, targetPort: 8265 },
        { name: '81-port', port: 81 },
      ]);
    });

    it('keeps a port with the name or number of another', () => {
      const ports = [
        { name: 'dashboard', port: 80, targetPort: 8265 },
        { name: 'gcs', port: 6379 },
      ];
      const service = headService(clusterOf({ head: { headService: { spec: { ports } } } }));
      expect(service.spec?.ports?.map(({ name }) => name)).toEqual(['dashboard', 'gcs', 'client', 'metrics', 'serve']);
    });
  });
});

describe('the headless Service', () => {
  it('exists for groups of several hosts only', () => {
    expect(headlessService(clusterOf({ worker: { numOfHosts: 1 } }))).toBeUndefined();
    expect(headlessService(clusterOf({ worker: { numOfHosts: 2 } }))).toEqual({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: {
        name: 'demo-headless',
        namespace: 'team',
        labels: {
          'ray.io/headless-worker-svc': 'demo',
          'ray.io/cluster': 'demo',
          'app.kubernetes.io/name': 'kuberay',
          'app.kubernetes.io/created-by': 'kuberay-operator',
          'app.kubernetes.io/managed-by': 'muster',
        },
      },
      spec: {
        clusterIP: 'None',
        publishNotReadyAddresses: true,
        selector: { 'ray.io/cluster': 'demo', 'ray.io/node-type': 'worker' },
      },
    });
  });
});

describe('the Ingress', () => {
  const ingressOf = (head: Partial<RayHeadGroupSpec>, annotations: Record<string, string> = {}) =>
    headIngress(clusterOf({ head, annotations }));
  const backend = (number: number) => ({ service: { name: 'demo-head-svc', port: { number } } });

  it('exists only if requested', () => {
    expect(ingressOf({})).toBeUndefined();
    expect(ingressOf({ enableIngress: false, ingressOptions: { host: 'a' } })).toBeUndefined();
  });

  it('routes a path of the cluster’s name to the dashboard', () => {
    const annotations = {
      'kubernetes.io/ingress.class': 'nginx',
      'nginx.ingress.kubernetes.io/rewrite-target': '/$1',
      'kubectl.kubernetes.io/last-applied-configuration': '{}',
    };
    expect(ingressOf({ enableIngress: true }, annotations)).toEqual({
      apiVersion: 'networking.k8s.io/v1',
      kind: 'Ingress',
      metadata: {
        name: 'demo-head-ingress',
        namespace: 'team',
        labels: {
          'ray.io/cluster': 'demo',
          'ray.io/identifier': 'demo-head',
          'app.kubernetes.io/name': 'kuberay',
          'app.kubernetes.io/created-by': 'kuberay-operator',
          'app.kubernetes.io/managed-by': 'muster',
        },
        annotations: { 'nginx.ingress.kubernetes.io/rewrite-target': '/$1' },
      },
      spec: {
        ingressClassName: 'nginx',
        rules: [{ http: { paths: [{ path: '/demo/(.*)', pathType: 'Exact', backend: backend(8265) }] } }],
      },
    });
  });

  it('routes by its options', () => {
    expect(ingressOf({ enableIngress: true, ingressOptions: {} })?.spec).toEqual({
      rules: [{ http: { paths: [{ path: '/', pathType: 'Prefix', backend: backend(8265) }] } }],
    });
    const tls = [{ hosts: ['ray.example'], secretName: 'tls' }];
    const ingressOptions = { host: 'ray.example', path: '/ui', pathType: 'Exact' as const, tls };
    const rayStartParams = { 'dashboard-port': '9000' };
    expect(ingressOf({ enableIngress: true, ingressOptions, rayStartParams })?.spec).toEqual({
      rules: [{ host: 'ray.example', http: { paths: [{ path: '/ui', pathType: 'Exact', backend: backend(9000) }] } }],
      tls,
    });
  });
});
