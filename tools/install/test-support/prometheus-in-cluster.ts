/** A Prometheus in the cluster that scrapes the operators of a namespace and evaluates rules like one of the Prometheus operator. */
import { type Cluster, ensureBinaries, runCommand, terminalProgress } from '@muster/cluster';
import { IMAGES, importImages, type ImageDefinition } from '@muster/images';
import { ensurePrometheus } from '@muster/prometheus';
import { PrometheusQueries } from './prometheus-queries.ts';

const NAME = 'prometheus';
const NAMESPACE = 'monitoring';
const LIMIT_MS = 300_000;

export class PrometheusInCluster extends PrometheusQueries {
  readonly #kubectl: (args: readonly string[], input?: string) => Promise<string>;

  private constructor(kubectl: (args: readonly string[], input?: string) => Promise<string>) {
    super();
    this.#kubectl = kubectl;
  }

  /**
   * Resolves when it is ready.
   *
   * @param operators the namespace whose pods it scrapes
   * @param rules the `spec` of a PrometheusRule
   */
  static async start(cluster: Cluster, operators: string, rules: unknown): Promise<PrometheusInCluster> {
    const progress = terminalProgress();
    const [program = ''] = await ensureBinaries(['kubectl'], progress);
    const kubectl = async (args: readonly string[], input = '') =>
      (await runCommand(program, ['--kubeconfig', cluster.kubeconfig, ...args], { input })).stdout;
    const { prometheus } = await ensurePrometheus(progress);
    const image = imageOf(prometheus);
    const [built] = await importImages([image], { containerdSocket: cluster.containerdSocket ?? '', progress });
    const items = objects(built?.references[0] ?? '', operators, rules);
    await kubectl(['apply', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
    await kubectl(['-n', NAMESPACE, 'wait', `pod/${NAME}`, '--for=condition=Ready', `--timeout=${LIMIT_MS / 1000}s`]);
    return new PrometheusInCluster(kubectl);
  }

  protected override async request<T>(what: string): Promise<T> {
    const path = `/api/v1/namespaces/${NAMESPACE}/pods/${NAME}:9090/proxy/api/v1/${what}`;
    return (JSON.parse(await this.#kubectl(['get', '--raw', path])) as { data: T }).data;
  }
}

/** Debian's program on Debian, and kubectl. */
function imageOf(program: string): ImageDefinition {
  return {
    name: NAME,
    version: 'test',
    parent: IMAGES.base,
    layer: { kind: 'files', files: { '/usr/bin/prometheus': program }, programs: { '/usr/bin/kubectl': 'kubectl' } },
    defaults: { entrypoint: ['/usr/bin/prometheus'], user: '65532:65532' },
  };
}

/** Debian's Prometheus cannot discover pods in Kubernetes, so a container beside it lists them, with the labels that a PodMonitor sets. */
function discovery(operators: string): string {
  const template =
    `{{range .items}}{{if .status.podIP}}- {targets: ["{{.status.podIP}}:8080"], ` +
    `labels: {namespace: "{{.metadata.namespace}}", pod: "{{.metadata.name}}"}}{{"\\n"}}{{end}}{{end}}`;
  const list = `kubectl -n ${operators} get pods -o go-template='${template}' > /targets/new`;
  return `while true; do ${list} && mv /targets/new /targets/operators.yml; sleep 2; done`;
}

function objects(image: string, operators: string, rules: unknown): object[] {
  const metadata = { name: NAME, namespace: NAMESPACE };
  const config = {
    global: { scrape_interval: '2s', evaluation_interval: '2s' },
    rule_files: ['/etc/prometheus/rules.json'],
    scrape_configs: [
      { job_name: 'operators', file_sd_configs: [{ files: ['/targets/operators.yml'], refresh_interval: '2s' }] },
    ],
  };
  const files = { 'prometheus.json': JSON.stringify(config), 'rules.json': JSON.stringify(rules) };
  const common = { image, imagePullPolicy: 'Never' };
  const finder = {
    ...common,
    name: 'discovery',
    command: ['sh', '-c', discovery(operators)],
    volumeMounts: [{ name: 'targets', mountPath: '/targets' }],
  };
  const prometheus = {
    ...common,
    name: NAME,
    args: ['--config.file=/etc/prometheus/prometheus.json', '--storage.tsdb.path=/data'],
    readinessProbe: { httpGet: { path: '/-/ready', port: 9090 }, periodSeconds: 2 },
    volumeMounts: [
      { name: 'config', mountPath: '/etc/prometheus' },
      { name: 'data', mountPath: '/data' },
      { name: 'targets', mountPath: '/targets' },
    ],
  };
  const volumes = [
    { name: 'config', configMap: { name: NAME } },
    { name: 'data', emptyDir: {} },
    { name: 'targets', emptyDir: {} },
  ];
  const podsOfOperators = [{ apiGroups: [''], resources: ['pods'], verbs: ['get', 'list'] }];
  const rbac = 'rbac.authorization.k8s.io';
  return [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } },
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata },
    { apiVersion: `${rbac}/v1`, kind: 'Role', metadata: { name: NAME, namespace: operators }, rules: podsOfOperators },
    {
      apiVersion: `${rbac}/v1`,
      kind: 'RoleBinding',
      metadata: { name: NAME, namespace: operators },
      roleRef: { apiGroup: rbac, kind: 'Role', name: NAME },
      subjects: [{ kind: 'ServiceAccount', ...metadata }],
    },
    { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: files },
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata,
      spec: {
        serviceAccountName: NAME,
        securityContext: { fsGroup: 65532 },
        containers: [prometheus, finder],
        volumes,
      },
    },
  ];
}
