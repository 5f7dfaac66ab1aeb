/** Pod Security applies to every pod of a job, because the API server checks each pod. */
import { pytorchAdapter } from '@muster/adapter-pytorch';
import { createJobOperator } from '@muster/common-job-controller';
import { crdFor, FRAMEWORKS, LABELS, PODS, PYTORCH_JOBS, type Resource } from '@muster/job-api';
import { eventually, installCrd, loneOperatorOptions, NAMESPACES, started, testCluster, TravelClock } from '@muster/testing';
import { Registry } from 'prom-client';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';

const cluster = await testCluster();
const { client } = cluster;

let namespace: string;

beforeAll(async () => {
  for (const definition of FRAMEWORKS['pytorch-elastic']) await installCrd(client, crdFor(definition));
  namespace = await cluster.namespace();
  const labels = { 'pod-security.kubernetes.io/enforce': 'restricted' };
  await client.patch(NAMESPACES, { name: namespace }, { metadata: { labels } });
});

const container = {
  name: 'pytorch',
  image: 'registry.example/train:1',
  securityContext: {
    allowPrivilegeEscalation: false,
    capabilities: { drop: ['ALL'] },
    runAsNonRoot: true,
    seccompProfile: { type: 'RuntimeDefault' },
  },
};

function job(podSpec: object, annotations = {}): object {
  const template = { metadata: { annotations }, spec: { containers: [container], ...podSpec } };
  return { spec: { pytorchReplicaSpecs: { Master: { template } } } };
}

const secret = { secretName: 'credentials', optional: true };

/** Violations in the response; undefined if the pod is created. */
const PATHS: Readonly<Record<string, readonly [job: object, refusedFor: string | undefined]>> = {
  nothing: [job({}), undefined],
  'hostPath volumes': [job({ volumes: [{ name: 'root', hostPath: { path: '/' } }] }), 'hostPath'],
  hostNetwork: [job({ hostNetwork: true }), 'host namespaces'],
  'a privileged container': [job({ containers: [{ ...container, securityContext: { privileged: true } }] }), 'privileged'],
  'annotations that change the profile': [
    job({}, { 'container.apparmor.security.beta.kubernetes.io/pytorch': 'unconfined' }),
    'AppArmor',
  ],
  serviceAccountName: [job({ serviceAccountName: 'default' }), undefined],
  'Secrets as files': [job({ volumes: [{ name: 'secret', secret }] }), undefined],
};

describe('a namespace with Pod Security level restricted', () => {
  it('admits pods that conform to it, and reports violations in the status of the job', async () => {
    const registry = new Registry();
    const quiet = () => undefined;
    const options = loneOperatorOptions({
      client,
      namespaces: [namespace],
      serviceMode: 'PerJob',
      clock: new TravelClock(),
      logger: { debug: quiet, info: quiet, warn: quiet, error: quiet },
    });
    const operator = createJobOperator({ ...options, adapters: [pytorchAdapter()], registry });
    const running = await started(operator, registry);
    onTestFinished(() => running.stop());

    for (const [index, [path, [manifest, refusedFor]]] of Object.entries(PATHS).entries()) {
      const name = `path-${index}`;
      const resource: Resource = PYTORCH_JOBS;
      await client.create(resource, { metadata: { name, namespace }, ...manifest });
      const state = async () => {
        const { status } = await client.get(PYTORCH_JOBS, { namespace, name });
        const pods = await client.list(PODS, { namespace, labelSelector: `${LABELS.jobName}=${name}` });
        const failure = status?.conditions?.find(({ type }) => type === 'ReplicaFailure');
        return { pods: pods.items.length, failure: failure?.status === 'True' ? failure.message : undefined };
      };
      let seen: object = {};
      const { pods, failure } = await eventually(
        async () => {
          const now = await state();
          seen = now;
          return now.pods > 0 || now.failure !== undefined ? now : undefined;
        },
        { withinMs: 60_000, describe: () => ({ path, seen }) },
      );
      expect({ path, pods, saysWhy: failure?.includes('violates PodSecurity "restricted:latest"') }).toEqual({
        path,
        pods: refusedFor === undefined ? 1 : 0,
        saysWhy: refusedFor === undefined ? undefined : true,
      });
      if (refusedFor !== undefined) expect(failure).toContain(refusedFor);
    }
  });
});
