/** `muster preflight`, as a user runs it against a real API server. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { crdFor, LEASES, pytorchJobDefinition, SERVICES, type KubeObject, type Resource } from '@muster/job-api';
import { eventually, installCrd, testCluster } from '@muster/testing';
import { expect, it, onTestFinished } from 'vitest';
import { ENDPOINT_SLICES } from './read-cluster.ts';

const MUSTER = fileURLToPath(new URL('../../bin/muster.js', import.meta.url));

const WEBHOOKS: Resource<KubeObject & { webhooks: object[] }> = {
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  kind: 'ValidatingWebhookConfiguration',
  plural: 'validatingwebhookconfigurations',
  namespaced: false,
};
const DEPLOYMENTS: Resource<KubeObject & { spec: object }> = {
  group: 'apps',
  version: 'v1',
  kind: 'Deployment',
  plural: 'deployments',
  namespaced: true,
};

const cluster = await testCluster();

async function preflight(...flags: readonly string[]): Promise<{ code: number; out: string; err: string }> {
  const args = [MUSTER, 'preflight', 'pytorch-elastic', '--kubeconfig', cluster.kubeconfig, ...flags];
  try {
    const { stdout, stderr } = await promisify(execFile)(process.execPath, args);
    return { code: 0, out: stdout, err: stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, out: stdout, err: stderr };
  }
}

it('finds the Deployment, the webhook and the CRD of an upstream operator', async () => {
  const { client } = cluster;
  const namespace = await cluster.namespace();
  await installCrd(client, crdFor(pytorchJobDefinition));
  const name = `validator.${namespace}.example`;
  await client.create(WEBHOOKS, {
    metadata: { name },
    webhooks: [
      {
        name,
        failurePolicy: 'Fail',
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
        // Only for this test's namespace.
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
        clientConfig: { service: { namespace, name: 'training-operator' } },
        rules: [
          { apiGroups: ['kubeflow.org'], apiVersions: ['*'], operations: ['CREATE'], resources: ['pytorchjobs'] },
        ],
      },
    ],
  });
  onTestFinished(() => client.delete(WEBHOOKS, { name }));
  const labels = { app: 'training-operator' };
  // Its endpoints are null, because it has no pod.
  await client.create(SERVICES, {
    metadata: { namespace, name: 'training-operator' },
    spec: { selector: { app: 'no-pod' }, ports: [{ port: 443 }] },
  });
  await eventually(async () => (await client.list(ENDPOINT_SLICES, { namespace })).items.length > 0, {
    withinMs: 60_000,
    describe: 'the Service has an EndpointSlice',
  });
  const containers = [{ name: 'operator', image: 'kubeflow/training-operator:v1-855e096' }];
  await client.create(DEPLOYMENTS, {
    metadata: { namespace, name: 'training-operator' },
    spec: { replicas: 1, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers } } },
  });

  // Only this namespace, because other tests have operators, too.
  const { code, out, err } = await preflight('--watch', namespace);
  expect({ code, err }).toEqual({ code: 1, err: '' });
  expect(out).toContain(`kubectl -n ${namespace} scale deployment training-operator --replicas=0\n`);
  expect(out).toContain(`kubectl delete validatingwebhookconfiguration ${name}\n`);
  expect(out).toContain('The CRD pytorchjobs.kubeflow.org already exists and was not created by Helm.');
});

it('finds an operator of Muster with overlapping namespaces by its Deployment or its Lease', async () => {
  const { client } = cluster;
  const namespace = await cluster.namespace();
  const labels = { 'app.kubernetes.io/name': 'muster-pytorch-elastic', 'app.kubernetes.io/instance': 'torch' };
  const containers = [{ name: 'operator', image: 'registry.example/op:1', args: [`--namespace=${namespace}`] }];
  await client.create(DEPLOYMENTS, {
    metadata: { namespace, name: 'torch', labels },
    spec: { replicas: 1, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers } } },
  });
  await client.create(LEASES, {
    metadata: {
      ...{ namespace, name: `muster-pytorch-${namespace}` },
      annotations: { 'muster.dev/namespaces': namespace },
    },
    spec: { holderIdentity: `laptop-of-${namespace}_uuid` },
  });

  const everywhere = await preflight();
  expect(everywhere.code).toBe(1);
  expect(everywhere.out).toContain(`helm upgrade torch charts/pytorch-elastic --namespace ${namespace} `);
  expect(everywhere.out).toContain(
    `laptop-of-${namespace}_uuid holds the Lease ${namespace}/muster-pytorch-${namespace}`,
  );
  expect((await preflight('--watch', 'elsewhere')).out).not.toContain(namespace);
});

it('counts a Lease as held only if it is renewed during preflight', async () => {
  const { client } = cluster;
  const [ended, running] = [await cluster.namespace(), await cluster.namespace()];
  const lease = (namespace: string) => ({
    metadata: {
      ...{ namespace, name: `muster-pytorch-${namespace}` },
      annotations: { 'muster.dev/namespaces': namespace },
    },
    spec: { holderIdentity: `pod-of-${namespace}_uuid`, leaseDurationSeconds: 2, renewTime: microTime() },
  });
  await client.create(LEASES, lease(ended));
  await client.create(LEASES, lease(running));
  const key = { namespace: running, name: `muster-pytorch-${running}` };
  const renewals = setInterval(() => {
    void client.patch(LEASES, key, { spec: { renewTime: microTime() } });
  }, 500);
  onTestFinished(() => clearInterval(renewals));

  const { code, out, err } = await preflight('--watch', `${ended},${running}`);
  expect(err).toMatch(/waiting up to 3s for a renewal of the Lease /);
  expect(out).toContain(`pod-of-${running}_uuid holds the Lease ${running}/`);
  expect(out).not.toContain(`pod-of-${ended}_uuid`);
  expect(code).toBe(1);
});

/** The current time with microseconds, as in Leases. */
function microTime(): string {
  return new Date().toISOString().replace('Z', '000Z');
}
