/** Pods that the API server refuses, each by one part, and the path in its answer. The other pods it accepts. */
interface Case {
  readonly what: string;
  readonly metadata?: object;
  readonly spec: Readonly<Record<string, unknown>>;
  /** Older API servers than that of Kubernetes 1.<sinceMinor> answer otherwise. */
  readonly sinceMinor?: number;
}

export interface RefusedPod extends Case {
  readonly path: string;
}

const MAIN = { name: 'main', image: 'busybox' };

/** The first container, with other fields. */
const container = (fields: object) => ({ containers: [{ ...MAIN, ...fields }] });

const metadata: RefusedPod[] = [
  { what: 'a label with spaces', metadata: { labels: { team: 'a b' } }, spec: container({}), path: 'metadata.labels' },
  { what: 'a label without key', metadata: { labels: { '': 'a' } }, spec: container({}), path: 'metadata.labels' },
  {
    what: 'an annotation whose key has two slashes',
    metadata: { annotations: { 'a/b/c': 'x' } },
    spec: container({}),
    path: 'metadata.annotations',
  },
];

const containers: RefusedPod[] = [
  ['a name in upper case', { name: 'Main' }, 'name'],
  ['a name of 64 characters', { name: 'a'.repeat(64) }, 'name'],
  ['an image with a space at its end', { image: 'busybox ' }, 'image'],
  ['no image', { image: '' }, 'image'],
  ['an unknown imagePullPolicy', { imagePullPolicy: 'Sometimes' }, 'imagePullPolicy'],
  ['port 0', { ports: [{ containerPort: 0 }] }, 'ports[0].containerPort'],
  ['port 65536', { ports: [{ containerPort: 65_536 }] }, 'ports[0].containerPort'],
  ['a long name of a port', { ports: [{ name: 'a-name-of-a-port', containerPort: 1 }] }, 'ports[0].name'],
  ['an unknown protocol', { ports: [{ containerPort: 1, protocol: 'tcp' }] }, 'ports[0].protocol'],
  [
    'two ports of one name',
    {
      ports: [
        { name: 'http', containerPort: 1 },
        { name: 'http', containerPort: 2 },
      ],
    },
    'ports[1].name',
  ],
  ['a variable without name', { env: [{ name: '', value: 'x' }] }, 'env[0].name'],
  ['a variable with "=" in its name', { env: [{ name: 'A=B', value: 'x' }] }, 'env[0].name'],
  ['a variable with an empty source', { env: [{ name: 'A', valueFrom: {} }] }, 'env[0].valueFrom'],
  [
    'a variable with value and source',
    { env: [{ name: 'A', value: 'x', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }] },
    'env[0].valueFrom',
  ],
  [
    'a variable from an unknown field',
    { env: [{ name: 'A', valueFrom: { fieldRef: { fieldPath: 'spec.nothing' } } }] },
    'env[0].valueFrom.fieldRef.fieldPath',
  ],
  [
    'a variable from a key without name',
    { env: [{ name: 'A', valueFrom: { secretKeyRef: { name: 's' } } }] },
    'env[0].valueFrom.secretKeyRef.key',
  ],
  ['variables from nothing', { envFrom: [{}] }, 'envFrom[0]'],
  ['a mount of no volume', { volumeMounts: [{ name: 'data', mountPath: '/data' }] }, 'volumeMounts[0].name'],
  ['a probe without handler', { livenessProbe: {} }, 'livenessProbe'],
  [
    'a liveness probe that must succeed twice',
    { livenessProbe: { exec: { command: ['true'] }, successThreshold: 2 } },
    'livenessProbe.successThreshold',
  ],
  ['a probe of port 0', { readinessProbe: { tcpSocket: { port: 0 } } }, 'readinessProbe.tcpSocket.port'],
  ['a lifecycle hook without handler', { lifecycle: { preStop: {} } }, 'lifecycle.preStop'],
  ['a negative user', { securityContext: { runAsUser: -1 } }, 'securityContext.runAsUser'],
].map(([what, fields, path]) => ({
  what: `a container with ${what as string}`,
  spec: container(fields as object),
  path: `spec.containers[0].${path as string}`,
}));

const resources: RefusedPod[] = [
  ['an unknown resource', { limits: { gpu: '1' } }, 'limits[gpu]'],
  ['a name of a resource with a space', { limits: { 'a b/c': '1' } }, 'limits[a b/c]'],
  ['a negative request', { requests: { cpu: '-1' } }, 'requests[cpu]'],
  ['a request above its limit', { requests: { cpu: '2' }, limits: { cpu: '1' } }, 'requests'],
  ['half a GPU', { limits: { 'nvidia.com/gpu': '500m' } }, 'limits[nvidia.com/gpu]'],
  [
    'fewer GPUs requested than the limit',
    { requests: { 'nvidia.com/gpu': 1 }, limits: { 'nvidia.com/gpu': 2 } },
    'requests',
  ],
  ['GPUs requested without limit', { requests: { 'nvidia.com/gpu': 1 } }, 'limits'],
  ['a claim that the pod does not have', { claims: [{ name: 'gpu' }] }, 'claims[0]', 36],
  ['hugepages without memory', { limits: { 'hugepages-2Mi': '2Mi' } }, ''],
].map(([what, amounts, path, sinceMinor = 0]) => ({
  what: what as string,
  spec: container({ resources: amounts }),
  path: `spec.containers[0].resources${path === '' ? '' : `.${path as string}`}`,
  sinceMinor: sinceMinor as number,
}));

const pods: RefusedPod[] = [
  { what: 'no container', spec: { containers: [] }, path: 'spec.containers' },
  { what: 'two containers of one name', spec: { containers: [MAIN, MAIN] }, path: 'spec.containers[1].name' },
  {
    what: 'an init container of the same name',
    spec: { ...container({}), initContainers: [MAIN] },
    path: 'spec.initContainers[0].name',
  },
  {
    what: 'two mounts at one path',
    spec: {
      ...container({ volumeMounts: ['a', 'b'].map((name) => ({ name, mountPath: '/data' })) }),
      volumes: [{ name: 'a' }, { name: 'b' }],
    },
    path: 'spec.containers[0].volumeMounts[1].mountPath',
  },
  {
    what: 'a mount without path',
    spec: { ...container({ volumeMounts: [{ name: 'a', mountPath: '' }] }), volumes: [{ name: 'a' }] },
    path: 'spec.containers[0].volumeMounts[0].mountPath',
  },
  {
    what: 'one port of the node for two containers',
    spec: {
      containers: ['a', 'b'].map((name) => ({ ...MAIN, name, ports: [{ containerPort: 80, hostPort: 8080 }] })),
    },
    path: 'spec.containers[1].ports[0].hostPort',
  },
  {
    what: 'one port for two containers in the network of the node',
    spec: {
      hostNetwork: true,
      containers: ['a', 'b'].map((name) => ({ ...MAIN, name, ports: [{ containerPort: 80 }] })),
    },
    path: 'spec.containers[1].ports[0].hostPort',
  },
  {
    what: 'another port of the node in its network',
    spec: { hostNetwork: true, ...container({ ports: [{ containerPort: 80, hostPort: 81 }] }) },
    path: 'spec.containers[0].ports[0].hostPort',
  },
  ...(
    [
      ['two volumes of one name', { volumes: [{ name: 'a' }, { name: 'a' }] }, 'volumes[1].name'],
      ['a volume in upper case', { volumes: [{ name: 'A' }] }, 'volumes[0].name'],
      [
        'a volume of two types',
        { volumes: [{ name: 'a', hostPath: { path: '/a' }, emptyDir: {} }] },
        'volumes[0].hostPath',
      ],
      [
        'a claim without name',
        { volumes: [{ name: 'a', persistentVolumeClaim: {} }] },
        'volumes[0].persistentVolumeClaim.claimName',
      ],
      ['a ConfigMap without name', { volumes: [{ name: 'a', configMap: {} }] }, 'volumes[0].configMap.name'],
      ['a Secret without name', { volumes: [{ name: 'a', secret: {} }] }, 'volumes[0].secret.secretName'],
      [
        'a negative size of a volume',
        { volumes: [{ name: 'a', emptyDir: { sizeLimit: '-1' } }] },
        'volumes[0].emptyDir.sizeLimit',
      ],
      [
        'a decimal mode',
        { volumes: [{ name: 'a', configMap: { name: 'c', defaultMode: 644 } }] },
        'volumes[0].configMap.defaultMode',
      ],
      ['an unknown restartPolicy', { restartPolicy: 'ExitCode' }, 'restartPolicy'],
      ['an unknown dnsPolicy', { dnsPolicy: 'X' }, 'dnsPolicy'],
      ['no name server', { dnsPolicy: 'None', dnsConfig: { searches: ['a'] } }, 'dnsConfig.nameservers'],
      ['a name server that is no address', { dnsConfig: { nameservers: ['dns'] } }, 'dnsConfig.nameservers[0]'],
      [
        'too many search domains',
        { dnsConfig: { searches: Array.from({ length: 33 }, (_, at) => `d${at}.example`) } },
        'dnsConfig.searches',
      ],
      ['a label of nodes with a space', { nodeSelector: { zone: 'a b' } }, 'nodeSelector'],
      ['a host name with a dot', { hostname: 'a.b' }, 'hostname'],
      ['an empty toleration', { tolerations: [{}] }, 'tolerations[0].operator'],
      ['an unknown operator', { tolerations: [{ key: 'a', operator: 'Sometimes' }] }, 'tolerations[0].operator'],
      ['an unknown effect', { tolerations: [{ key: 'a', effect: 'Never' }] }, 'tolerations[0].effect'],
      [
        'seconds for another effect',
        { tolerations: [{ key: 'a', effect: 'NoSchedule', tolerationSeconds: 5 }] },
        'tolerations[0].effect',
      ],
      ['no time to run', { activeDeadlineSeconds: 0 }, 'activeDeadlineSeconds'],
      ['a negative group', { securityContext: { fsGroup: -1 } }, 'securityContext.fsGroup'],
      ['an alias that is no address', { hostAliases: [{ ip: 'x', hostnames: ['a'] }] }, 'hostAliases[0].ip'],
      ['two equal scheduling gates', { schedulingGates: [{ name: 'a/b' }, { name: 'a/b' }] }, 'schedulingGates[1]'],
      [
        'an unfinished spread constraint',
        { topologySpreadConstraints: [{ maxSkew: 1, topologyKey: 'zone' }] },
        'topologySpreadConstraints[0].whenUnsatisfiable',
      ],
    ] as const
  ).map(([what, fields, path]) => ({ what, spec: { ...container({}), ...fields }, path: `spec.${path}` })),
];

export const REFUSED_PODS: readonly RefusedPod[] = [...metadata, ...containers, ...resources, ...pods];

/** The API server cannot decode them, and names no path. */
export const UNREADABLE_PODS: readonly RefusedPod[] = [
  [
    'a quantity with a wrong unit',
    container({ resources: { limits: { memory: '1GB' } } }),
    'containers[0].resources.limits[memory]',
  ],
  ['a number as the value of a variable', container({ env: [{ name: 'A', value: 1 }] }), 'containers[0].env[0].value'],
  ['a command that is no list', container({ command: 'train' }), 'containers[0].command'],
  ['a port in quotes', container({ ports: [{ containerPort: '80' }] }), 'containers[0].ports[0].containerPort'],
  ['requests that are a list', container({ resources: { requests: ['1'] } }), 'containers[0].resources.requests'],
  ['a truth value in quotes', { ...container({}), hostNetwork: 'true' }, 'hostNetwork'],
  [
    'a fraction of a user',
    container({ securityContext: { runAsUser: 1.5 } }),
    'containers[0].securityContext.runAsUser',
  ],
  ['a map of volumes', { ...container({}), volumes: { name: 'a' } }, 'volumes'],
].map(([what, spec, path]) => ({
  what: what as string,
  spec: spec as Readonly<Record<string, unknown>>,
  path: `spec.${path as string}`,
}));

export const ACCEPTED_PODS: readonly Case[] = [
  { what: 'one container', spec: container({}) },
  { what: 'a label without value', metadata: { labels: { team: '' } }, spec: container({}) },
  {
    what: 'an annotation with a domain in upper case',
    metadata: { annotations: { 'Example.com/X': 'ü' } },
    spec: container({}),
  },
  { what: 'a port of 15 characters', spec: container({ ports: [{ name: 'pytorchjob-port', containerPort: 1 }] }) },
  {
    what: 'a variable that no shell has',
    spec: container({ env: [{ name: '1.a-b c', value: '' }] }),
    sinceMinor: 36,
  },
  { what: 'GPUs with a limit only', spec: container({ resources: { limits: { 'nvidia.com/gpu': 1, cpu: '1.5' } } }) },
  {
    what: 'equal requests and limits in other units',
    spec: container({ resources: { requests: { memory: '1024Mi ' }, limits: { memory: '1Gi' } } }),
  },
  {
    what: 'a volume without type',
    spec: { ...container({ volumeMounts: [{ name: 'a', mountPath: 'relative' }] }), volumes: [{ name: 'a' }] },
  },
  { what: 'fields without a value', spec: { ...container({ env: null, ports: null }), volumes: null, hostname: '' } },
  { what: 'any taint', spec: { ...container({}), tolerations: [{ operator: 'Exists' }] } },
  {
    what: 'one port for TCP and UDP',
    spec: {
      hostNetwork: true,
      ...container({ ports: ['TCP', 'UDP'].map((protocol) => ({ containerPort: 80, protocol })) }),
    },
  },
  {
    what: 'a search domain with a dot at its end',
    spec: { ...container({}), dnsConfig: { searches: ['a_b.example.'] } },
    sinceMinor: 36,
  },
];
