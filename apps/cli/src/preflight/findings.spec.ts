import {
  FRAMEWORKS,
  PYTORCH_JOBS,
  RAY_CLUSTERS,
  RAY_JOBS,
  type CustomResourceDefinition,
  type KindDefinition,
  type Lease,
} from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { findings } from './findings.ts';
import type { Deployment, ClusterState, Webhook } from './seen-cluster.ts';

const NOW = Date.UTC(2030, 0, 1);
const NOTHING: ClusterState = {
  ...{ crds: [], webhooks: [], answering: new Set(), deployments: [] },
  leases: [],
  nowMs: NOW,
};
const RELEASE = { name: 'pytorch-elastic', namespace: 'muster', watched: [] };

const found = (seen: Partial<ClusterState>) =>
  findings('pytorch-elastic', [PYTORCH_JOBS], { ...NOTHING, ...seen }, RELEASE);

const deployment = (image: string, replicas?: number): Deployment => ({
  metadata: { namespace: 'kubeflow', name: 'training-operator' },
  spec: { ...(replicas !== undefined && { replicas }), template: { spec: { containers: [{ image }] } } },
});

const musterDeployment = ({
  framework = 'pytorch-elastic',
  namespace = 'muster-system',
  instance = 'pytorch-elastic',
  watch = '',
  replicas = 1,
  args = [] as string[],
}): Deployment => ({
  metadata: {
    namespace,
    name: instance,
    labels: { 'app.kubernetes.io/name': `muster-${framework}`, 'app.kubernetes.io/instance': instance },
  },
  spec: {
    replicas,
    template: {
      spec: { containers: [{ image: 'registry.example/op:1', args: watch === '' ? args : [`--namespace=${watch}`] }] },
    },
  },
});

const lease = (holderIdentity: string, namespaces: string, renewedMs = NOW): Lease => ({
  metadata: {
    namespace: 'default',
    name: 'muster-pytorch',
    annotations: { 'muster.dev/namespaces': namespaces },
  },
  spec: { holderIdentity, renewTime: new Date(renewedMs).toISOString() },
});

const crd = (annotations?: Record<string, string>) =>
  ({ metadata: { name: 'pytorchjobs.kubeflow.org', ...(annotations && { annotations }) } }) as CustomResourceDefinition;

const WEBHOOK: Webhook = {
  name: 'validator.pytorchjob.training-operator.kubeflow.org',
  failurePolicy: 'Fail',
  clientConfig: { service: { namespace: 'kubeflow', name: 'training-operator' } },
  rules: [{ apiGroups: ['kubeflow.org'], resources: ['pytorchjobs'] }],
};

const webhook = (of: Partial<Webhook>) => [
  {
    plural: 'validatingwebhookconfigurations',
    configuration: {
      metadata: { name: 'validator.training-operator.kubeflow.org' },
      webhooks: [{ ...WEBHOOK, ...of }],
    },
  },
];

describe('findings', () => {
  it('finds nothing in an empty cluster', () => {
    expect(found({})).toEqual([]);
  });

  it('reports another running operator, and how to stop it', () => {
    expect(found({ deployments: [deployment('docker.io/kubeflow/training-operator:v1-855e096')] })).toEqual([
      {
        problem: expect.stringContaining(
          'kubeflow/training-operator runs docker.io/kubeflow/training-operator:v1-855e096',
        ) as string,
        fix: 'kubectl -n kubeflow scale deployment training-operator --replicas=0',
      },
    ]);
  });

  it.each([
    ['pytorch-elastic', 'ghcr.io/kubeflow/training-v1/training-operator:v1-93c5489'],
    ['pytorch-elastic', 'registry.example:5000/mirror/training-operator@sha256:0123'],
    ['pytorch-elastic', 'gcr.io/kubeflow-images-public/pytorch-operator:v1.0.0'],
    ['tensorflow', 'gcr.io/kubeflow-images-public/tf_operator:v1.0.0'],
    ['xgboost', 'registry.example/xgboost-operator:v0.2'],
    ['mpi', 'mpioperator/mpi-operator:0.8.0'],
    ['ray', 'registry.example/mirror/kuberay/operator:v1.6.2'],
    ['ray', 'registry.example/kuberay-operator'],
  ])('reports for %s a Deployment of %s', (framework, image) => {
    const seen = { ...NOTHING, deployments: [deployment(image)] };
    expect(findings(framework, [PYTORCH_JOBS], seen, RELEASE)).toHaveLength(1);
  });

  it.each([
    ['one that is stopped', deployment('kubeflow/training-operator:v1', 0)],
    ['one of other kinds', deployment('quay.io/kuberay/operator:v1.7.0')],
    ['a deployment of something else', deployment('nginx:1')],
    ['a deployment whose name only begins so', deployment('registry.example/training-operator-ui:1')],
    ['an operator in a folder of that name', deployment('registry.example/training-operator/exporter:1')],
  ])('ignores %s', (_what, other) => {
    expect(found({ deployments: [other] })).toEqual([]);
  });

  it('reports an operator of Muster in another namespace for the same jobs, and how to upgrade it', () => {
    expect(found({ deployments: [musterDeployment({})] })).toEqual([
      {
        problem:
          "Deployment muster-system/pytorch-elastic is Muster's operator of PyTorchJob for all namespaces: a second one would do nothing " +
          'while it runs. Upgrade it instead, or install one for other namespaces (--watch).',
        fix: 'helm upgrade pytorch-elastic charts/pytorch-elastic --namespace muster-system --reset-then-reuse-values',
      },
    ]);
    expect(found({ deployments: [musterDeployment({ watch: 'a,b' })] })[0]?.problem).toContain(
      'for the namespaces a, b:',
    );
  });

  it.each([
    ['of the release that is upgraded', musterDeployment({ namespace: 'muster' }), []],
    ['of another framework', musterDeployment({ framework: 'mpi' }), []],
    ['without pods', musterDeployment({ replicas: 0 }), []],
    ['in shadow mode', musterDeployment({ args: ['--shadow=true'] }), []],
    ['for other namespaces', musterDeployment({ watch: 'a,b' }), ['c']],
  ])('ignores an operator of Muster %s', (_what, deployment, watched) => {
    const seen = { ...NOTHING, deployments: [deployment] };
    expect(findings('pytorch-elastic', [PYTORCH_JOBS], seen, { ...RELEASE, watched })).toEqual([]);
  });

  it('reports a process outside of a Deployment by its Lease', () => {
    expect(found({ leases: [lease('laptop_uuid', 'a')] })).toEqual([
      {
        problem: expect.stringContaining(
          'laptop_uuid holds the Lease default/muster-pytorch: it is an operator of PyTorchJob for namespace a,',
        ) as string,
        fix: 'kubectl -n default get lease muster-pytorch -o yaml',
      },
    ]);
  });

  it.each<[string, Lease]>([
    ['has no holder', lease('', '*')],
    ['was not renewed for a long time', lease('laptop_uuid', '*', NOW - 600_000)],
    ['is held by a pod of the release that is upgraded', lease('pytorch-elastic-5d8b7c9f6-abcde_uuid', '*')],
  ])('ignores a Lease that %s', (_what, one) => {
    expect(found({ leases: [one], deployments: [musterDeployment({ namespace: 'muster' })] })).toEqual([]);
  });

  it('reports a webhook without endpoints, and how to delete it', () => {
    expect(found({ webhooks: webhook({}) })).toEqual([
      {
        problem: expect.stringContaining(
          'validator.pytorchjob.training-operator.kubeflow.org refuses every created or changed job',
        ) as string,
        fix: 'kubectl delete validatingwebhookconfiguration validator.training-operator.kubeflow.org',
      },
    ]);
  });

  it.each<[string, Partial<Webhook>, readonly string[]]>([
    ['has an endpoint', {}, ['kubeflow/training-operator']],
    ['ignores failures', { failurePolicy: 'Ignore' }, []],
    ['is about other kinds', { rules: [{ apiGroups: ['kubeflow.org'], resources: ['tfjobs'] }] }, []],
    ['has an address of which nothing is known', { clientConfig: {} }, []],
  ])('ignores a webhook that %s', (_what, of, answering) => {
    expect(found({ webhooks: webhook(of), answering: new Set(answering) })).toEqual([]);
  });

  it('reports a webhook with rules for all resources', () => {
    expect(found({ webhooks: webhook({ rules: [{ apiGroups: ['*'], resources: ['*/*'] }] }) })).toHaveLength(1);
  });

  describe('a webhook for pods', () => {
    const forPods = { name: 'mpod.kb.io', rules: [{ apiGroups: [''], resources: ['pods'] }] };
    const foundForRay = (webhooks: readonly Partial<Webhook>[]) => {
      const configuration = {
        metadata: { name: 'kuberay-operator-mutating-webhook-configuration' },
        webhooks: webhooks.map((of) => ({ ...WEBHOOK, ...forPods, ...of })),
      };
      const seen = { ...NOTHING, webhooks: [{ plural: 'mutatingwebhookconfigurations', configuration }] };
      return findings('ray', [RAY_CLUSTERS, RAY_JOBS], seen, { ...RELEASE, name: 'ray' });
    };

    it.each<[string, NonNullable<Webhook['objectSelector']>]>([
      ['a label', { matchLabels: { 'ray.io/node-type': 'worker' } }],
      ['an expression', { matchExpressions: [{ key: 'ray.io/cluster' }] }],
    ])('is reported if it selects pods of Ray by %s and has no endpoints', (_what, objectSelector) => {
      expect(foundForRay([{ objectSelector }])).toEqual([
        {
          problem:
            'The mutating webhook mpod.kb.io refuses new pods of these jobs, because its Service has no ready endpoint.',
          fix: 'kubectl delete mutatingwebhookconfiguration kuberay-operator-mutating-webhook-configuration',
        },
      ]);
    });

    it('is reported together with a webhook for jobs in the same configuration', () => {
      const forJobs = { name: 'mraycluster.kb.io', rules: [{ apiGroups: ['ray.io'], resources: ['rayclusters'] }] };
      const found = foundForRay([{ objectSelector: { matchLabels: { 'ray.io/node-type': 'worker' } } }, forJobs]);
      expect(found.map(({ problem }) => problem)).toEqual([
        'The mutating webhook mraycluster.kb.io refuses every created or changed job, and mpod.kb.io refuses new pods of these jobs, because its Service has no ready endpoint.',
      ]);
    });

    it.each<[string, Partial<Webhook>]>([
      ['selects all pods', {}],
      ['selects other pods', { objectSelector: { matchLabels: { 'sidecar.istio.io/inject': 'true' } } }],
      [
        'is about another resource',
        {
          rules: [{ apiGroups: [''], resources: ['configmaps'] }],
          objectSelector: { matchLabels: { 'ray.io/node-type': 'worker' } },
        },
      ],
    ])('is ignored if it %s', (_what, of) => {
      expect(foundForRay([of])).toEqual([]);
    });
  });

  it('shows for each existing CRD how to install with Helm', () => {
    const ofAnother = { 'meta.helm.sh/release-name': 'torch', 'meta.helm.sh/release-namespace': 'team-a' };
    expect(found({ crds: [crd()] })[0]?.fix).toContain('--take-ownership --force-conflicts');
    expect(found({ crds: [crd(ofAnother)] })[0]).toMatchObject({
      problem: expect.stringContaining('belongs to the Helm release torch in namespace team-a') as string,
      fix: expect.stringContaining('--set crds.install=false') as string,
    });
  });

  it('reports a CRD that Helm did not create, also if an operator without a release holds a Lease', () => {
    const fixes = found({ crds: [crd()], leases: [lease('laptop_uuid', '*')] }).map(({ fix }) => fix);
    expect(fixes).toEqual([
      'kubectl -n default get lease muster-pytorch -o yaml',
      'helm install pytorch-elastic charts/pytorch-elastic --namespace muster --take-ownership --force-conflicts …',
    ]);
  });

  it('ignores CRDs of the same release', () => {
    const own = { 'meta.helm.sh/release-name': RELEASE.name, 'meta.helm.sh/release-namespace': RELEASE.namespace };
    expect(found({ crds: [crd(own)] })).toEqual([]);
  });

  it('ignores CRDs of a release that is to be upgraded instead', () => {
    const of = { 'meta.helm.sh/release-name': 'pytorch-elastic', 'meta.helm.sh/release-namespace': 'muster-system' };
    const all = found({ crds: [crd(of)], deployments: [musterDeployment({})] });
    expect(all.map(({ fix }) => fix)).toEqual([
      'helm upgrade pytorch-elastic charts/pytorch-elastic --namespace muster-system --reset-then-reuse-values',
    ]);
  });

  it('upgrades a release of several operators with the chart of its installation', () => {
    const part = (parent: string): Deployment => {
      const { metadata, ...rest } = musterDeployment({ namespace: 'ml', instance: 'all' });
      return { ...rest, metadata: { ...metadata, annotations: { 'muster.dev/parent-chart': parent } } };
    };
    expect(found({ deployments: [part('muster')] })[0]?.fix).toBe(
      'helm upgrade all charts/muster --namespace ml --reset-then-reuse-values',
    );
    expect(found({ deployments: [part('platform')] })[0]?.fix).toBe(
      'helm upgrade all CHART (its chart is platform) --namespace ml --reset-then-reuse-values',
    );
  });

  it('adds the namespaces to the command that installs beside a release', () => {
    const of = { 'meta.helm.sh/release-name': 'torch', 'meta.helm.sh/release-namespace': 'team-a' };
    const seen = { ...NOTHING, crds: [crd(of)], deployments: [musterDeployment({ watch: 'team-a' })] };
    expect(findings('pytorch-elastic', [PYTORCH_JOBS], seen, { ...RELEASE, watched: ['b', 'c'] })).toMatchObject([
      { fix: expect.stringContaining("--set 'watch.namespaces={b,c}' --set crds.install=false") as string },
    ]);
  });

  it.each(Object.entries(FRAMEWORKS).filter(([name]) => name !== 'ray'))(
    'reports for %s a running training operator',
    (framework, definitions: readonly KindDefinition[]) => {
      const seen = { ...NOTHING, deployments: [deployment('kubeflow/training-operator:v1')] };
      const resources = definitions.map(({ resource }) => resource);
      expect(findings(framework, resources, seen, { ...RELEASE, name: framework })).toHaveLength(1);
    },
  );

  it('reports the upstream operator of the framework', () => {
    const seen = { ...NOTHING, deployments: [deployment('quay.io/kuberay/operator:v1.7.0')] };
    expect(findings('ray', [RAY_CLUSTERS, RAY_JOBS], seen, RELEASE)).toHaveLength(1);
  });
});
