/**
 * The accounts of the operators under test: ServiceAccounts with exactly the rights that the charts grant, so that a missing right fails
 * the tests that need it. The cluster's audit log has their requests.
 */
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ensureBinaries, runCommand, type Cluster, type Progress } from '@muster/cluster';
import { FRAMEWORKS } from '@muster/job-api';
import { parse, parseAllDocuments, stringify } from 'yaml';
import { auditEvents } from './audit-log.ts';
import { accountUser, type PolicyRule } from './least-privilege.ts';

export { auditEvents } from './audit-log.ts';
export type { AuditEvent } from './least-privilege.ts';

/** The namespace in which the charts' accounts are created. */
export const OPERATORS_NAMESPACE = 'muster';

const ROOT = join(import.meta.dirname, '../../..');
const ACCOUNT_KINDS = ['ServiceAccount', 'Role', 'RoleBinding', 'ClusterRole', 'ClusterRoleBinding'];
/** Additional flags of the tests' operators, by framework. */
const VALUES: Readonly<Partial<Record<string, Readonly<Record<string, unknown>>>>> = {
  // The engine does this the same way for all frameworks; one of them tests it.
  'pytorch-elastic': {
    'operator.forceDeletePodsOnLostNodes': true,
    'gangScheduling.others': ['kubernetes'],
    // The test's operator reads progress from outside of the cluster.
    'rbac.extraRules': [{ apiGroups: [''], resources: ['pods/proxy'], verbs: ['get'] }],
  },
  // The test's operator reaches dashboards and pods from outside of the cluster.
  ray: {
    'rbac.extraRules': [
      { apiGroups: [''], resources: ['services/proxy'], verbs: ['get', 'create', 'update'] },
      { apiGroups: [''], resources: ['pods/proxy'], verbs: ['get'] },
    ],
  },
};

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels?: Readonly<Record<string, string>> };
  readonly rules?: readonly PolicyRule[];
  readonly roleRef?: { readonly kind: string; readonly name: string };
}

/** The rights that a chart grants to an account; `reports/accounts.json` is a list of these. */
export interface OperatorAccount {
  readonly framework: string;
  /** The API server's name of it. */
  readonly user: string;
  readonly rules: readonly PolicyRule[];
}

interface AccountOptions {
  /** Values of the charts, by path, in place of those for tests of operators. */
  readonly values?: Readonly<Record<string, unknown>>;
  /** Beside those. */
  readonly more?: Readonly<Record<string, unknown>>;
}

/**
 * Creates the accounts of all frameworks. Returns the folder with a kubeconfig for each, `<framework>.kubeconfig`. `MUSTER_TEST_OPERATORS`
 * names the folder for the tests.
 */
export async function makeOperatorAccounts(
  cluster: Cluster,
  progress: Progress,
  options: AccountOptions = {},
): Promise<string> {
  const [helm = ''] = await ensureBinaries(['helm'], progress);
  const kubectl = (args: readonly string[], input = '') =>
    runCommand(join(cluster.binDir, 'kubectl'), ['--kubeconfig', cluster.kubeconfig, ...args], { input });
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: OPERATORS_NAMESPACE } };
  const charts = await Promise.all(Object.keys(FRAMEWORKS).map((framework) => chartAccount(helm, framework, options)));
  const manifests = [namespace, ...charts.flatMap(({ objects }) => objects)];
  await kubectl(['apply', '-f', '-'], manifests.map((manifest) => stringify(manifest)).join('---\n'));

  const folder = join(cluster.stateDir, 'operators');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const admin = parse(await readFile(cluster.kubeconfig, 'utf8')) as object;
  const { name } = cluster;
  // By default an operator's Lease is in the namespace of its kubeconfig's context.
  const contexts = [{ name, context: { cluster: name, user: name, namespace: OPERATORS_NAMESPACE } }];
  await Promise.all(
    charts.map(async ({ framework, account }) => {
      const token = await kubectl(['create', 'token', account, '-n', OPERATORS_NAMESPACE, '--duration', '24h']);
      const users = [{ name, user: { token: token.stdout.trim() } }];
      await writeFile(join(folder, `${framework}.kubeconfig`), stringify({ ...admin, users, contexts }), {
        mode: 0o600,
      });
    }),
  );
  const accounts = charts.map(({ framework, account, rules }): OperatorAccount => {
    return { framework, user: accountUser(OPERATORS_NAMESPACE, account), rules };
  });
  await writeFile(join(folder, 'accounts.json'), JSON.stringify(accounts));
  return folder;
}

/**
 * Copies the audit log to `reports/*.audit.json`, and what it is compared with to `reports/accounts.json`: the cluster's own files are
 * deleted with it.
 */
export async function keepAudit(cluster: Cluster, folder: string, name: string): Promise<void> {
  const reports = join(ROOT, 'reports');
  await mkdir(reports, { recursive: true });
  await copyFile(join(folder, 'accounts.json'), join(reports, 'accounts.json'));
  const { auditLog } = cluster;
  if (auditLog === undefined) return;
  await writeFile(join(reports, `${name}-${process.pid}.audit.json`), JSON.stringify(await auditEvents(auditLog)));
}

/** The chart's ServiceAccount, with all bindings of rights to it. */
async function chartAccount(helm: string, framework: string, { values: own, more }: AccountOptions) {
  const chart = join(ROOT, 'charts', framework);
  const { operator } = parse(await readFile(join(chart, 'values.yaml'), 'utf8')) as { operator: object };
  const ofTests = { ...('volcanoJobs' in operator && { 'operator.volcanoJobs': true }), ...VALUES[framework] };
  const values = {
    ...(own ?? ofTests),
    ...more,
    'image.repository': 'registry.example/muster',
  };
  const flags = Object.entries(values).flatMap(([path, value]) => ['--set-json', `${path}=${JSON.stringify(value)}`]);
  const { stdout } = await runCommand(helm, ['template', framework, chart, '-n', OPERATORS_NAMESPACE, ...flags]);
  const objects = parseAllDocuments(stdout)
    .map((document) => document.toJS() as Manifest | null)
    .filter((manifest) => manifest !== null && ACCOUNT_KINDS.includes(manifest.kind)) as Manifest[];
  const account = objects.find(({ kind }) => kind === 'ServiceAccount')?.metadata.name;
  if (account === undefined) throw new Error(`the chart of ${framework} has no ServiceAccount`);
  // The chart also has roles for users: only bound ones are the operator's.
  const bound = new Set(objects.flatMap(({ roleRef }) => (roleRef === undefined ? [] : [roleRef.name])));
  const rules = objects.flatMap(({ metadata, rules: own = [] }) => (bound.has(metadata.name) ? own : []));
  return { framework, account, objects, rules };
}
