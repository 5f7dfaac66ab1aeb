/** Users create jobs on a real API server that enforces the policies of the charts. */
import { randomUUID } from 'node:crypto';
import {
  crdFor,
  FRAMEWORKS,
  type KubeObject,
  MPI_JOBS,
  PYTORCH_JOBS,
  RAY_CLUSTERS,
  RAY_CRON_JOBS,
  RAY_SERVICES,
  RAY_JOBS,
  type Resource,
  VOLCANO_JOBS,
  volcanoJobDefinition,
} from '@muster/job-api';
import { type ClusterClient, isKubeError } from '@muster/kube';
import { eventually, installCrd, testCluster } from '@muster/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { container, mpiJob, pytorchJob, rayCluster, volcanoJob } from '../../test-support/job-manifests.ts';
import { HELM_TIMEOUT_MS, rendered } from '../../test-support/helm.ts';

const cluster = await testCluster();
const { client } = cluster;

type Manifest = KubeObject & { readonly [field: string]: unknown };

const clusterWide = (group: string, kind: string, plural: string): Resource<Manifest> => ({
  ...{ group, version: 'v1', kind, plural, namespaced: false },
});
const POLICIES = clusterWide('admissionregistration.k8s.io', 'ValidatingAdmissionPolicy', 'validatingadmissionpolicies');
const BINDINGS = clusterWide(
  'admissionregistration.k8s.io',
  'ValidatingAdmissionPolicyBinding',
  'validatingadmissionpolicybindings',
);
const RBAC = { group: 'rbac.authorization.k8s.io', version: 'v1', namespaced: true } as const;
const ROLES: Resource<Manifest> = { ...RBAC, kind: 'Role', plural: 'roles' };
const ROLE_BINDINGS: Resource<Manifest> = { ...RBAC, kind: 'RoleBinding', plural: 'rolebindings' };

/** `verb group/resource`, without a group for the core group. */
type Right = string;

const JOBS_ONLY: readonly Right[] = ['create', 'get', 'patch'].flatMap((verb) =>
  ['kubeflow.org/pytorchjobs', 'kubeflow.org/mpijobs', 'ray.io/rayclusters', 'ray.io/rayjobs', 'ray.io/raycronjobs', 'ray.io/rayservices', 'batch.volcano.sh/jobs']
    // This is one of the tested permissions.
    .filter((resource) => `${verb} ${resource}` !== 'patch ray.io/rayclusters')
    .map((resource) => `${verb} ${resource}`),
);

let namespace: string;
const installed: Manifest[] = [];

beforeAll(async () => {
  for (const definition of [...FRAMEWORKS['pytorch-elastic'], ...FRAMEWORKS.mpi, ...FRAMEWORKS.ray, volcanoJobDefinition])
    await installCrd(client, crdFor(definition));
  namespace = await cluster.namespace();
  await enforceIn(namespace);
}, HELM_TIMEOUT_MS);

afterAll(async () => {
  for (const { kind, metadata } of installed) {
    const resource = kind === POLICIES.kind ? POLICIES : BINDINGS;
    await client.delete(resource, { name: metadata?.name ?? '' });
  }
});

/** Installs the policies of the tested charts for one namespace. Resolves when all are enforced. */
async function enforceIn(place: string): Promise<void> {
  const values = {
    tenancy: { enforceCreatorRights: true, exemptUsers: ['queue'] },
    operator: { volcanoJobs: true },
    watch: { scope: 'namespaces', namespaces: [place] },
  };
  for (const chart of ['pytorch-elastic', 'mpi', 'ray']) {
    const objects = (await rendered(chart, values, { release: chart, namespace: place })) as Manifest[];
    const policies = objects.filter(({ kind }) => [POLICIES.kind, BINDINGS.kind].includes(kind ?? ''));
    expect(policies).toHaveLength(4);
    for (const policy of policies) {
      await client.create(policy.kind === POLICIES.kind ? POLICIES : BINDINGS, policy);
      installed.push(policy);
    }
  }
  const withoutRights = await userWith([], place);
  for (const [resource, manifest] of [
    [PYTORCH_JOBS, pytorchJob({})],
    [MPI_JOBS, mpiJob()],
    [RAY_CLUSTERS, rayCluster()],
    ...['pytorch', 'mpi', 'ray'].map((plugin) => [VOLCANO_JOBS, volcanoJob(plugin)] as const),
  ] as const) {
    await eventually(async () => (await refusal(withoutRights, resource, manifest, place)) !== undefined, {
      withinMs: 60_000,
      describe: `the policy for ${resource.plural} is enforced`,
    });
  }
}

/** Client of a user who may create jobs and has these permissions. */
async function userWith(rights: readonly Right[], place: string): Promise<ClusterClient> {
  const user = `user-${randomUUID()}`;
  await grant(user, [...JOBS_ONLY, ...rights], place);
  return cluster.as(user);
}

async function grant(user: string, rights: readonly Right[], place: string): Promise<void> {
  const name = `may-${randomUUID()}`;
  await client.create(ROLES, { metadata: { name, namespace: place }, rules: rights.map(ruleOf) });
  await client.create(ROLE_BINDINGS, {
    metadata: { name, namespace: place },
    roleRef: { apiGroup: RBAC.group, kind: 'Role', name },
    subjects: [{ apiGroup: RBAC.group, kind: 'User', name: user }],
  });
  const [resource, manifest] = [PYTORCH_JOBS, pytorchJob({})];
  // The authorizer caches roles by a watch.
  await eventually(
    async () => !/cannot create resource/.test((await refusal(cluster.as(user), resource, manifest, place)) ?? ''),
    { withinMs: 30_000, describe: `${user} may create jobs` },
  );
}

function ruleOf(right: Right): object {
  const [, verb, , group = '', resource] = /^(\S+) ((\S+\.\S+?)\/)?(\S+)$/.exec(right) ?? [];
  return { apiGroups: [group], resources: [resource], verbs: [verb] };
}

/** The error for a user who creates the job; undefined without one. */
async function refusal(
  as: ClusterClient,
  resource: Resource,
  manifest: object,
  place = namespace,
): Promise<string | undefined> {
  const metadata = { name: `job-${randomUUID().slice(0, 8)}`, namespace: place };
  return denied(() => as.create(resource, { metadata, ...manifest }, { dryRun: true }));
}

async function denied(write: () => Promise<unknown>): Promise<string | undefined> {
  try {
    await write();
    return undefined;
  } catch (error) {
    if (isKubeError(error, 'Forbidden')) return error.message;
    throw error;
  }
}

const CREATE_PODS = 'create pods';
const SCALES: readonly Right[] = [CREATE_PODS, 'patch ray.io/rayclusters', 'list pods', 'patch pods'];
const AUTOSCALING = { enableInTreeAutoscaling: true };
const secret = { secretName: 'credentials' };

interface Path {
  readonly path: string;
  readonly resource: Resource;
  readonly manifest: object;
  /** Without any one of them the job is rejected; with all it is accepted. */
  readonly needs: readonly Right[];
}

const PATHS: readonly Path[] = [
  ...Object.entries({
    'an account': { serviceAccountName: 'admin' },
    'a folder of the node': { volumes: [{ name: 'root', hostPath: { path: '/' } }] },
    "the node's network": { hostNetwork: true },
    'a Secret as files': { volumes: [{ name: 'secret', secret }] },
    'a Secret as variables': { containers: [{ ...container, envFrom: [{ secretRef: { name: 'credentials' } }] }] },
  }).map(([path, podSpec]): Path => ({
    path,
    resource: PYTORCH_JOBS,
    manifest: pytorchJob(podSpec),
    needs: [CREATE_PODS],
  })),
  {
    path: 'annotations of pods',
    resource: PYTORCH_JOBS,
    manifest: pytorchJob({}, { 'container.apparmor.security.beta.kubernetes.io/pytorch': 'unconfined' }),
    needs: [CREATE_PODS],
  },
  { path: 'an MPIJob over ssh', resource: { ...MPI_JOBS, version: 'v2beta1' }, manifest: mpiJob(), needs: [CREATE_PODS] },
  {
    path: 'an MPIJob over kubectl exec (v1)',
    resource: { ...MPI_JOBS, version: 'v1' },
    manifest: mpiJob(),
    needs: [CREATE_PODS, 'create pods/exec'],
  },
  {
    path: 'an MPIJob over kubectl exec (v1alpha1)',
    resource: { ...MPI_JOBS, version: 'v1alpha1' },
    manifest: { spec: { replicas: 2, template: { spec: { containers: [{ ...container, name: 'mpi' }] } } } },
    needs: [CREATE_PODS, 'create pods/exec'],
  },
  { path: 'a RayCluster', resource: RAY_CLUSTERS, manifest: rayCluster(), needs: [CREATE_PODS] },
  {
    path: 'a RayCluster with its autoscaler',
    resource: RAY_CLUSTERS,
    manifest: rayCluster(AUTOSCALING),
    needs: SCALES,
  },
  {
    path: 'a RayJob with an autoscaler',
    resource: RAY_JOBS,
    manifest: { spec: { entrypoint: 'python train.py', rayClusterSpec: rayCluster(AUTOSCALING).spec } },
    needs: SCALES,
  },
  {
    path: 'a RayCronJob with an autoscaler',
    resource: RAY_CRON_JOBS,
    manifest: {
      spec: { schedule: '@daily', jobTemplate: { entrypoint: 'python train.py', rayClusterSpec: rayCluster(AUTOSCALING).spec } },
    },
    needs: SCALES,
  },
  {
    path: 'a RayService with an autoscaler',
    resource: RAY_SERVICES,
    manifest: { spec: { serveConfigV2: 'applications: []', rayClusterConfig: rayCluster(AUTOSCALING).spec } },
    needs: SCALES,
  },
  {
    path: 'a Service of a RayService',
    resource: RAY_SERVICES,
    manifest: {
      spec: { serveConfigV2: 'applications: []', rayClusterConfig: rayCluster().spec, serveService: { spec: { type: 'LoadBalancer' } } },
    },
    needs: [CREATE_PODS, 'create services'],
  },
  {
    path: 'an Ingress of the dashboard',
    resource: RAY_CLUSTERS,
    manifest: rayCluster({}, { enableIngress: true }),
    needs: [CREATE_PODS, 'create networking.k8s.io/ingresses'],
  },
  {
    path: 'a NetworkPolicy of its own',
    resource: RAY_CLUSTERS,
    manifest: rayCluster({ networkPolicy: { head: { egressRules: [{}] } } }),
    needs: [CREATE_PODS, 'create networking.k8s.io/networkpolicies'],
  },
  {
    path: 'a load balancer before the head',
    resource: RAY_CLUSTERS,
    manifest: rayCluster({}, { serviceType: 'LoadBalancer' }),
    needs: [CREATE_PODS, 'create services'],
  },
  ...['pytorch', 'mpi'].map((plugin) => ({
    path: `an account, by a Volcano Job of ${plugin}`,
    resource: VOLCANO_JOBS,
    manifest: volcanoJob(plugin, { serviceAccountName: 'admin' }),
    needs: [CREATE_PODS],
  })),
  {
    path: 'a head that others reach, by a Volcano Job of ray',
    resource: VOLCANO_JOBS,
    manifest: volcanoJob('ray'),
    needs: [CREATE_PODS, 'create networking.k8s.io/networkpolicies'],
  },
];

describe('the creator of a job', () => {
  it.each(PATHS)('needs the permissions that the job uses: $path', async ({ resource, manifest, needs }) => {
    expect(await refusal(await userWith(needs, namespace), resource, manifest)).toBeUndefined();
    for (const missing of needs) {
      const others = needs.filter((right) => right !== missing);
      const output = await refusal(await userWith(others, namespace), resource, manifest);
      const [verb, path = ''] = missing.split(' ');
      const what = /^(?<group>.+\..+)\/(?<resource>.+)$/.exec(path)?.groups;
      const named = what === undefined ? path : `${what['resource']}.${what['group']}`;
      expect(output).toMatch(
        new RegExp(`user-\\S+ may not ${verb} ${named} in namespace ${namespace}, but .*: request a role in the namespace that allows it`),
      );
    }
  });

  it('needs them for an update only if it changes what the job uses', async () => {
    const metadata = { name: 'stays', namespace };
    const [author, other] = [await userWith([CREATE_PODS], namespace), await userWith([], namespace)];
    await author.create<Manifest>(PYTORCH_JOBS, { metadata, ...pytorchJob({}) });
    const change = (patch: object) => denied(() => other.patch(PYTORCH_JOBS, metadata, patch));
    expect(await change({ metadata: { labels: { team: 'vision' }, finalizers: [] } })).toBeUndefined();
    expect(await change({ spec: { runPolicy: { suspend: true } } })).toMatch(/may not create pods/);
  });

  it('needs none for a Volcano Job that no release runs', async () => {
    const metadata = { name: 'of-another', namespace };
    const other = await userWith([], namespace);
    await other.create<Manifest>(VOLCANO_JOBS, { metadata, ...volcanoJob('svc') });
    expect(await denied(() => other.patch(VOLCANO_JOBS, metadata, { spec: { maxRetry: 5 } }))).toBeUndefined();
  });

  it('can be a program that the administrator exempts', async () => {
    await grant('queue', ['create kubeflow.org/pytorchjobs'], namespace);
    expect(await refusal(cluster.as('queue'), PYTORCH_JOBS, pytorchJob({ hostNetwork: true }))).toBeUndefined();
  });

  it('can be the operator, which creates the RayCluster of a RayJob whose creator was checked', async () => {
    const operator = `system:serviceaccount:${namespace}:ray`;
    await grant(operator, JOBS_ONLY, namespace);
    expect(await refusal(cluster.as(operator), RAY_CLUSTERS, rayCluster(AUTOSCALING))).toBeUndefined();
    expect(await refusal(cluster.as(operator), PYTORCH_JOBS, pytorchJob({}))).toMatch(/may not create pods/);
  });

  it("can be Ray's autoscaler if only numbers of replicas change", async () => {
    const metadata = { name: 'scales', namespace };
    await client.create(RAY_CLUSTERS, { metadata, ...rayCluster(AUTOSCALING) });
    const autoscaler = await userWith(['patch ray.io/rayclusters'], namespace);
    const [group] = rayCluster().spec.workerGroupSpecs;
    const change = (spec: object, annotations = {}) =>
      denied(() => autoscaler.patch(RAY_CLUSTERS, metadata, { metadata: { annotations }, spec }));
    const groups = (...workerGroupSpecs: object[]) => ({ workerGroupSpecs });
    const scaleStrategy = { workersToDelete: ['scales-worker-x'] };
    expect(await change(groups({ ...group, replicas: 4, scaleStrategy }))).toBeUndefined();
    expect(await change(groups({ ...group, replicas: 2 }))).toBeUndefined();
    const refused = /may not create pods/;
    const { template } = rayCluster().spec.headGroupSpec;
    const onHost = { spec: { ...template.spec, hostNetwork: true } };
    expect(await change(groups({ ...group, template: onHost }))).toMatch(refused);
    expect(await change(groups({ ...group, rayStartParams: { block: 'false' } }))).toMatch(refused);
    expect(await change(groups({ ...group, maxReplicas: 100 }))).toMatch(refused);
    expect(await change(groups({ ...group }, { ...group, groupName: 'more' }))).toMatch(refused);
    expect(await change(groups())).toMatch(refused);
    expect(await change({ headGroupSpec: { template: onHost } })).toMatch(refused);
    expect(await change({ autoscalerOptions: { image: 'registry.example/other:1' } })).toMatch(refused);
    expect(await change({ enableInTreeAutoscaling: null })).toMatch(refused);
    expect(await change({}, { 'ray.io/ippr': '{}' })).toMatch(refused);
  });
});
