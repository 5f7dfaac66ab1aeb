import { PYTORCH_JOBS, RAY_CLUSTERS, RAY_JOBS, type CustomResourceDefinition } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { findings, type Deployment, type SeenCluster, type WebhookConfiguration } from './findings.ts';

const NOTHING: SeenCluster = { crds: [], webhooks: [], answering: new Set(), deployments: [] };
const RELEASE = { name: 'pytorch-elastic', namespace: 'muster' };

const found = (seen: Partial<SeenCluster>) =>
  findings('pytorch-elastic', [PYTORCH_JOBS], { ...NOTHING, ...seen }, RELEASE);

const deployment = (image: string, replicas?: number): Deployment => ({
  metadata: { namespace: 'kubeflow', name: 'training-operator' },
  spec: { ...(replicas !== undefined && { replicas }), template: { spec: { containers: [{ image }] } } },
});

const crd = (annotations?: Record<string, string>) =>
  ({ metadata: { name: 'pytorchjobs.kubeflow.org', ...(annotations && { annotations }) } }) as CustomResourceDefinition;

type Webhook = NonNullable<WebhookConfiguration['webhooks']>[number];

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

  it('names another operator that runs, and how to stop it', () => {
    expect(found({ deployments: [deployment('docker.io/kubeflow/training-operator:v1-855e096')] })).toEqual([
      {
        what: expect.stringContaining(
          'kubeflow/training-operator runs docker.io/kubeflow/training-operator:v1-855e096',
        ) as string,
        mend: 'kubectl -n kubeflow scale deployment training-operator --replicas=0',
      },
    ]);
  });

  it.each([
    ['one that is stopped', deployment('kubeflow/training-operator:v1', 0)],
    ['one of other kinds', deployment('quay.io/kuberay/operator:v1.7.0')],
    ['a deployment of something else', deployment('nginx:1')],
  ])('leaves alone %s', (_what, other) => {
    expect(found({ deployments: [other] })).toEqual([]);
  });

  it('names a webhook that nobody answers, and how to take it away', () => {
    expect(found({ webhooks: webhook({}) })).toEqual([
      {
        what: expect.stringContaining(
          'validator.pytorchjob.training-operator.kubeflow.org refuses every job',
        ) as string,
        mend: 'kubectl delete validatingwebhookconfiguration validator.training-operator.kubeflow.org',
      },
    ]);
  });

  it.each<[string, Partial<Webhook>, readonly string[]]>([
    ['is answered', {}, ['kubeflow/training-operator']],
    ['lets pass what nobody judges', { failurePolicy: 'Ignore' }, []],
    ['is about other kinds', { rules: [{ apiGroups: ['kubeflow.org'], resources: ['tfjobs'] }] }, []],
    ['is asked at an address, about which nothing is known', { clientConfig: {} }, []],
  ])('leaves alone a webhook that %s', (_what, of, answering) => {
    expect(found({ webhooks: webhook(of), answering: new Set(answering) })).toEqual([]);
  });

  it('counts rules for everything', () => {
    expect(found({ webhooks: webhook({ rules: [{ apiGroups: ['*'], resources: ['*/*'] }] }) })).toHaveLength(1);
  });

  it('says of each CRD that is there how Helm gets by', () => {
    const ofAnother = { 'meta.helm.sh/release-name': 'torch', 'meta.helm.sh/release-namespace': 'team-a' };
    expect(found({ crds: [crd()] })[0]?.mend).toContain('--take-ownership --force-conflicts');
    expect(found({ crds: [crd(ofAnother)] })[0]).toMatchObject({
      what: expect.stringContaining('belongs to the release torch in team-a') as string,
      mend: expect.stringContaining('--set crds.install=false') as string,
    });
  });

  it('has nothing against the CRDs of the same release', () => {
    const own = { 'meta.helm.sh/release-name': RELEASE.name, 'meta.helm.sh/release-namespace': RELEASE.namespace };
    expect(found({ crds: [crd(own)] })).toEqual([]);
  });

  it('looks for the operator of the framework', () => {
    const seen = { ...NOTHING, deployments: [deployment('quay.io/kuberay/operator:v1.7.0')] };
    expect(findings('ray', [RAY_CLUSTERS, RAY_JOBS], seen, RELEASE)).toHaveLength(1);
  });
});
