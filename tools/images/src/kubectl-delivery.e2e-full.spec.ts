/** The init container of launchers that reach their workers by `kubectl exec`, with real pods. */
import { silentProgress } from '@muster/cluster';
import { type KubeObject, type Pod, PODS, type Resource } from '@muster/job-api';
import { eventually, SERVICE_ACCOUNTS, testCluster } from '@muster/testing';
import { beforeAll, describe, expect, it } from 'vitest';

import { importImages } from './import-images.ts';

const CONFIG_MAPS: Resource = { group: '', version: 'v1', kind: 'ConfigMap', plural: 'configmaps', namespaced: true };
const RBAC = { group: 'rbac.authorization.k8s.io', version: 'v1', namespaced: true };
const ROLES: Resource = { ...RBAC, kind: 'Role', plural: 'roles' };
const ROLE_BINDINGS: Resource = { ...RBAC, kind: 'RoleBinding', plural: 'rolebindings' };

const cluster = await testCluster();
let namespace: string;
let delivery: string;
let base: string;

beforeAll(async () => {
  namespace = await cluster.namespace();
  const containerdSocket = process.env.MUSTER_E2E_CONTAINERD_SOCKET ?? '';
  const images = await importImages(['kubectl-delivery', 'base'], { containerdSocket, progress: silentProgress });
  [delivery = '', base = ''] = images.map(({ reference }) => reference);
});

function create(resource: Resource, object: KubeObject & Record<string, unknown>): Promise<KubeObject> {
  return cluster.client.create(resource, { ...object, metadata: { ...object.metadata, namespace } });
}

/** A worker whose first container never starts; the second one, `main`, has the file /tmp/main. */
function worker(name: string): Pod {
  const command = ['/bin/sh', '-c', 'echo main > /tmp/main; exec sleep 365d'];
  return {
    metadata: { name },
    spec: {
      terminationGracePeriodSeconds: 0,
      containers: [
        { name: 'sidecar', image: 'muster.local/none:1', imagePullPolicy: 'Never' },
        { name: 'main', image: base, command },
      ],
    },
  };
}

/** With as few rights as possible; at the end its program reads /tmp/main of both workers. */
function launcher(): Pod {
  const volumeMounts = [
    { name: 'kube', mountPath: '/opt/kube' },
    { name: 'config', mountPath: '/etc/mpi' },
  ];
  const program = `
for worker in first second; do /opt/kube/kubectl exec "$worker" --container main -- cat /tmp/main; done
cat /opt/kube/hosts`;
  return {
    metadata: { name: 'launcher' },
    spec: {
      serviceAccountName: 'launcher',
      restartPolicy: 'Never',
      initContainers: [
        {
          name: 'kubectl-delivery',
          image: delivery,
          env: [
            { name: 'NAMESPACE', value: namespace },
            { name: 'MAIN_CONTAINER', value: 'main' },
          ],
          securityContext: {
            runAsNonRoot: true,
            readOnlyRootFilesystem: true,
            allowPrivilegeEscalation: false,
            capabilities: { drop: ['ALL'] },
          },
          volumeMounts,
        },
      ],
      containers: [
        { name: 'main', image: base, command: ['/bin/sh', '-c', `(${program}) > /dev/termination-log`], volumeMounts },
      ],
      volumes: [
        { name: 'kube', emptyDir: {} },
        { name: 'config', configMap: { name: 'config' } },
      ],
    },
  };
}

const status = async (name: string) => (await cluster.client.get(PODS, { namespace, name })).status;
const deliveryLog = () =>
  cluster.client.text(`/api/v1/namespaces/${namespace}/pods/launcher/log?container=kubectl-delivery`);

async function deliveryLogs(wanted: RegExp): Promise<void> {
  let log = '';
  await eventually(async () => wanted.test((log = await deliveryLog())), {
    withinMs: 60_000,
    describe: () => ({ wanted: wanted.source, log }),
  });
}

describe('the delivery of kubectl', () => {
  it('delays the launcher until every worker runs commands, logs what it waits for, and writes kubectl and the addresses', async () => {
    const hostfile = '# made by hand\nlocalhost slots=1\nlauncher slots=1\nfirst slots=2\nsecond:2\n';
    await create(CONFIG_MAPS, { metadata: { name: 'config' }, data: { hostfile } });
    await create(SERVICE_ACCOUNTS, { metadata: { name: 'launcher' } });
    await create(ROLES, {
      metadata: { name: 'launcher' },
      rules: [
        { apiGroups: [''], resources: ['pods'], verbs: ['get', 'list', 'watch'] },
        { apiGroups: [''], resources: ['pods/exec'], verbs: ['create'], resourceNames: ['first', 'second'] },
      ],
    });
    const bind = (name: string) =>
      create(ROLE_BINDINGS, {
        metadata: { name },
        roleRef: { apiGroup: RBAC.group, kind: 'Role', name: 'launcher' },
        subjects: [{ kind: 'ServiceAccount', name: 'launcher', namespace }],
      });
    await create(PODS, { ...worker('first') });
    await create(PODS, { ...launcher() });

    await deliveryLogs(
      /waiting for worker first for [1-9]\d+ s: .*[Ff]orbidden.*needs get on pods and create on pods\/exec/,
    );
    await bind('launcher');
    await deliveryLogs(/waiting for worker second for/);
    expect((await status('launcher'))?.containerStatuses?.[0]?.state?.running).toBeUndefined();
    await create(PODS, { ...worker('second') });

    const ended = await eventually(async () => (await status('launcher'))?.containerStatuses?.[0]?.state?.terminated, {
      withinMs: 120_000,
      describe: 'the end of the launcher',
    });
    const [first, second] = await Promise.all(['first', 'second'].map(async (name) => (await status(name))?.podIP));
    expect(ended.message).toBe(`main\nmain\n${first}\tfirst\n${second}\tsecond\n`);
  });

  it('fails at once without a hostfile', async () => {
    const name = 'without-hostfile';
    await cluster.client.create(PODS, {
      metadata: { name, namespace },
      spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: delivery }] },
    });
    const ended = await eventually(async () => (await status(name))?.containerStatuses?.[0]?.state?.terminated, {
      withinMs: 60_000,
    });
    expect(ended.exitCode).toBe(1);
    const log = await cluster.client.text(`/api/v1/namespaces/${namespace}/pods/${name}/log`);
    expect(log).toContain("/etc/mpi/hostfile does not exist: mount the job's ConfigMap at /etc/mpi");
  });
});
