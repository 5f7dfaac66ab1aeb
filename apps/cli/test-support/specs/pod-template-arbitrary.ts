/** Pod templates: mostly what a kubelet runs, with one or two parts that the API server or Muster may refuse. */
import fc from 'fast-check';
import { edgeName, fieldsOf, labels, mostly, name, quantity, rarely, resourceName, text } from './edge-values.ts';
import type { Json } from './json.ts';

const image = mostly(
  fc.constantFrom('example.com/train:1', 'busybox', 'a@sha256:' + '0'.repeat(64)),
  fc.constantFrom('', ' x', 'x ', 'UPPER:1', 'a b'),
  25,
);

const variable = fc.oneof(
  { weight: 8, arbitrary: fc.record({ name: variableName(), value: text }) },
  { weight: 1, arbitrary: fc.record({ name: variableName() }) },
  {
    weight: 1,
    arbitrary: fc.record({
      name: variableName(),
      valueFrom: fc.constantFrom<Json[]>(
        { fieldRef: { fieldPath: 'metadata.name' } },
        { configMapKeyRef: { name: 'settings', key: 'a' } },
        { fieldRef: { fieldPath: 'spec.nothing' } },
        {},
      ),
    }),
  },
);

function variableName(): fc.Arbitrary<string> {
  return mostly(
    fc.constantFrom('HOME', 'A', 'MASTER_ADDR', 'WORLD_SIZE', 'TF_CONFIG', 'RAY_ADDRESS', 'OMPI_X', 'PET_NNODES'),
    fc.constantFrom('', '1A', 'a-b', 'a b', 'a=b', 'ü'),
    20,
  );
}

const port = fieldsOf({
  name: rarely(
    mostly(fc.constantFrom('http', 'metrics', 'pytorchjob-port', 'tfjob-port', 'gcs-server', 'dashboard'), edgeName),
    1,
  ),
  containerPort: mostly(
    fc.constantFrom<Json[]>(8080, 23456, 6379, 8265, 22),
    fc.constantFrom<Json[]>(0, 65_535, 65_536, -1, '80', 1),
  ),
  protocol: rarely(mostly(fc.constantFrom('TCP', 'UDP'), fc.constantFrom('', 'tcp', 'SCTP', 'X'))),
  hostPort: rarely(fc.constantFrom<Json[]>(0, 8080, 80), 10),
});

const resources = fieldsOf({
  requests: rarely(fc.dictionary(resourceName, quantity, { maxKeys: 2 }), 1),
  limits: rarely(fc.dictionary(resourceName, quantity, { maxKeys: 2 }), 1),
  claims: rarely(fc.constant<Json>([{ name: 'gpu' }]), 40),
});

const mount = fieldsOf({
  name: mostly(fc.constantFrom('data', 'shm'), edgeName),
  mountPath: mostly(
    fc.constantFrom('/data', '/dev/shm', '/etc/mpi', '/root/.ssh', '/tmp/ray'),
    fc.constantFrom('', 'relative', '/a:b'),
  ),
  readOnly: rarely(fc.boolean()),
});

const securityContext = fieldsOf({
  runAsUser: rarely(fc.constantFrom<Json[]>(0, 1000, -1), 2),
  runAsNonRoot: rarely(fc.boolean(), 2),
  privileged: rarely(fc.boolean(), 4),
});

function container(named: fc.Arbitrary<string>): fc.Arbitrary<Json> {
  return fieldsOf({
    name: named,
    image: mostly<Json | undefined>(image, fc.constant(undefined), 40),
    command: rarely(fc.array(text, { maxLength: 3 })),
    args: rarely(fc.array(text, { maxLength: 3 })),
    env: rarely(fc.array(variable, { maxLength: 4 }), 2),
    ports: rarely(fc.array(port, { maxLength: 3 }), 3),
    resources: rarely(resources, 2),
    volumeMounts: rarely(fc.array(mount, { maxLength: 2 }), 6),
    securityContext: rarely(securityContext, 8),
    imagePullPolicy: rarely(fc.constantFrom('Always', 'IfNotPresent', 'Sometimes'), 10),
    lifecycle: rarely(fc.constantFrom<Json[]>({}, { preStop: { exec: { command: ['true'] } } }), 20),
    restartPolicy: rarely(fc.constantFrom('Always', 'Never'), 30),
  });
}

const volume = mostly<Json>(
  fc.constantFrom<Json[]>(
    { name: 'data', emptyDir: {} },
    { name: 'shm', emptyDir: { medium: 'Memory' } },
    { name: 'data', persistentVolumeClaim: { claimName: 'data' } },
  ),
  fc.constantFrom<Json[]>(
    { name: 'data' },
    { name: '', emptyDir: {} },
    { name: 'two', emptyDir: {}, hostPath: { path: '/' } },
  ),
  10,
);

const podSpec = (main: fc.Arbitrary<string>) =>
  fieldsOf({
    containers: mostly(
      fc
        .tuple(container(main), fc.array(container(name), { maxLength: 2 }))
        .map(([first, others]): Json => [first, ...others]),
      fc.constantFrom<Json[]>([], [{}], [{ name: 'other', image: 'x' }]),
      40,
    ),
    initContainers: rarely(fc.array(container(name), { maxLength: 2 }), 6),
    volumes: rarely(fc.array(volume, { maxLength: 2 }), 3),
    restartPolicy: rarely(
      mostly(fc.constantFrom('Always', 'OnFailure', 'Never'), fc.constantFrom('', 'ExitCode', 'never')),
    ),
    schedulerName: rarely(mostly(fc.constantFrom('volcano', 'default-scheduler', 'none'), edgeName), 8),
    nodeSelector: rarely(labels, 8),
    tolerations: rarely(
      fc.constantFrom<Json[]>([{ key: 'gpu', operator: 'Exists' }], [{ operator: 'Sometimes' }], [{}]),
      10,
    ),
    hostNetwork: rarely(fc.boolean(), 10),
    hostname: rarely(name, 20),
    subdomain: rarely(name, 20),
    serviceAccountName: rarely(name, 15),
    priorityClassName: rarely(name, 20),
    terminationGracePeriodSeconds: rarely(fc.constantFrom<Json[]>(0, 30, -1, 3600), 10),
    activeDeadlineSeconds: rarely(fc.constantFrom<Json[]>(60, 0, -1), 20),
    securityContext: rarely(fc.constantFrom<Json[]>({}, { runAsUser: 1000 }, { fsGroup: -1 }), 12),
    dnsPolicy: rarely(fc.constantFrom('ClusterFirst', 'Default', 'None', 'X'), 20),
    dnsConfig: rarely(
      fc.constantFrom<Json[]>(
        {},
        { searches: [] },
        { searches: Array.from({ length: 32 }, (_, at) => `d${at}.example`) },
      ),
      15,
    ),
    imagePullSecrets: rarely(fc.constantFrom<Json[]>([{ name: 'registry' }], [{}], []), 15),
    affinity: rarely(fc.constantFrom<Json[]>({}, { nodeAffinity: {} }), 20),
    shareProcessNamespace: rarely(fc.boolean(), 20),
    enableServiceLinks: rarely(fc.boolean(), 20),
    topologySpreadConstraints: rarely(fc.constant<Json>([]), 30),
    schedulingGates: rarely(fc.constantFrom<Json[]>([{ name: 'example.com/wait' }], []), 30),
    nodeName: rarely(fc.constant('node-1'), 40),
    unknownField: rarely(fc.constant(1), 40),
  });

const podMetadata = fieldsOf({
  labels: rarely(labels, 1),
  annotations: rarely(
    fc.dictionary(fc.constantFrom('note', 'sidecar.istio.io/inject', 'a/b/c', 'Upper/x'), text, { maxKeys: 2 }),
    3,
  ),
  name: rarely(name, 20),
  namespace: rarely(fc.constant('elsewhere'), 40),
  generateName: rarely(fc.constant('x-'), 40),
  finalizers: rarely(fc.constantFrom<Json[]>(['example.com/keep'], ['bad']), 40),
  ownerReferences: rarely(fc.constant<Json>([]), 40),
});

/** @param main the name that the kind expects of its main container. Default: any */
export function podTemplate(main: string | undefined): fc.Arbitrary<Json> {
  const named = main === undefined ? name : mostly(fc.constant(main), name, 40);
  return fieldsOf({ metadata: rarely(podMetadata, 2), spec: podSpec(named) });
}
