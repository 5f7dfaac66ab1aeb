/** Images of MPI jobs in plain pods: ssh between them, as root and as an unprivileged user, and the entry point. */
import { generateKeyPairSync } from 'node:crypto';

import { silentProgress } from '@muster/cluster';
import { type KubeObject, type Pod, PODS, type Resource, SERVICES } from '@muster/job-api';
import { eventually, testCluster } from '@muster/testing';
import { describe, expect, it } from 'vitest';

import { importImages } from './import-images.ts';
import type { ImageName } from './images.ts';

const CONFIG_MAPS: Resource = { group: '', version: 'v1', kind: 'ConfigMap', plural: 'configmaps', namespaced: true };
const SECRETS: Resource = { ...CONFIG_MAPS, kind: 'Secret', plural: 'secrets' };

interface Case {
  image: ImageName;
  hostLine: (host: string) => string;
  launcherEnv: Readonly<Record<string, string>>;
  user: number;
  keys: string;
  server: readonly string[];
}

const HOSTFILE = '/etc/mpi/hostfile';
const WORKERS = ['worker-0', 'worker-1'];
const openmpi = {
  image: 'openmpi-examples',
  hostLine: (host: string) => `${host} slots=2\n`,
  launcherEnv: { OMPI_MCA_orte_default_hostfile: HOSTFILE, OMPI_MCA_orte_keep_fqdn_hostnames: 'true' },
} as const;
const mpich = {
  image: 'mpich-examples',
  hostLine: (host: string) => `${host}:2\n`,
  launcherEnv: { HYDRA_HOST_FILE: HOSTFILE },
} as const;
const root = { user: 0, keys: '/root/.ssh', server: ['/usr/sbin/sshd', '-De'] } as const;
const unprivileged = {
  user: 1000,
  keys: '/home/mpiuser/.ssh',
  server: ['/usr/sbin/sshd', '-De', '-f', '/home/mpiuser/.sshd_config'],
} as const;

const cluster = await testCluster();

/** A new key, the private half as PEM, the public half as OpenSSH writes it (RFC 5656, section 3.1). */
function sshKey(): { privateKey: string; publicKey: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const point = publicKey.export({ type: 'spki', format: 'der' }).subarray(-65);
  const fields = [Buffer.from('ecdsa-sha2-nistp256'), Buffer.from('nistp256'), point].map((field) => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(field.length);
    return Buffer.concat([length, field]);
  });
  return {
    privateKey: privateKey.export({ type: 'sec1', format: 'pem' }).toString(),
    publicKey: `ecdsa-sha2-nistp256 ${Buffer.concat(fields).toString('base64')}\n`,
  };
}

/** MPICH's workers look up the launcher by its bare name: hence the search domain. */
function pod(name: string, namespace: string, container: Record<string, unknown>, { user, keys }: Case): Pod {
  const mounts = [
    { name: 'keys', mountPath: keys },
    { name: 'config', mountPath: '/etc/mpi' },
  ];
  return {
    metadata: { name, labels: { job: 'hosts' } },
    spec: {
      restartPolicy: 'Never',
      hostname: name,
      subdomain: 'hosts',
      dnsConfig: { searches: [`hosts.${namespace}.svc.cluster.local`] },
      terminationGracePeriodSeconds: 0,
      securityContext: { runAsUser: user },
      containers: [{ name: 'mpi', volumeMounts: mounts, ...container }],
      volumes: [
        { name: 'keys', secret: { secretName: 'keys', ...(user === 0 && { defaultMode: 0o600 }) } },
        { name: 'config', configMap: { name: 'config' } },
      ],
    },
  };
}

describe('an image of MPI jobs', () => {
  it.each<[string, Case]>([
    ['Open MPI as root', { ...openmpi, ...root }],
    ['Open MPI as a user', { ...openmpi, ...unprivileged }],
    ['MPICH as root', { ...mpich, ...root }],
    ['MPICH as a user', { ...mpich, ...unprivileged }],
  ])('%s: a launcher waits for its workers, and runs ranks on them by ssh', async (_name, settings) => {
    const containerdSocket = process.env.MUSTER_E2E_CONTAINERD_SOCKET ?? '';
    const [built] = await importImages([settings.image], { containerdSocket, progress: silentProgress });
    const image = built?.reference ?? '';
    const namespace = await cluster.namespace();
    const create = (resource: Resource, object: KubeObject & Record<string, unknown>) =>
      cluster.client.create(resource, { ...object, metadata: { ...object.metadata, namespace } });
    const launcherStatus = async () =>
      (await cluster.client.get(PODS, { namespace, name: 'launcher' })).status?.containerStatuses?.[0]?.state;

    const { privateKey, publicKey } = sshKey();
    await create(SECRETS, {
      metadata: { name: 'keys' },
      stringData: { id_rsa: privateKey, 'id_rsa.pub': publicKey, authorized_keys: publicKey },
    });
    const hostfile = WORKERS.map((worker) => settings.hostLine(`${worker}.hosts.${namespace}.svc`)).join('');
    await create(CONFIG_MAPS, { metadata: { name: 'config' }, data: { hostfile } });
    const env = Object.entries({ ...settings.launcherEnv, K_MPI_JOB_ROLE: 'launcher' }).map(([name, value]) => ({
      name,
      value,
    }));
    const program = ['mpirun', '-n', '4', 'python', 'pi.py'];
    await create(PODS, { ...pod('launcher', namespace, { image, env, args: program }, settings) });
    await eventually(async () => (await launcherStatus())?.running, { withinMs: 60_000 });
    await create(SERVICES, {
      metadata: { name: 'hosts' },
      spec: { clusterIP: 'None', selector: { job: 'hosts' } },
    });
    for (const worker of WORKERS)
      await create(PODS, { ...pod(worker, namespace, { image, command: settings.server }, settings) });

    const ended = await eventually(async () => (await launcherStatus())?.terminated, { withinMs: 120_000 });
    const log = await cluster.client.text(`/api/v1/namespaces/${namespace}/pods/launcher/log`);
    expect(ended.exitCode, log).toBe(0);
    expect(log).toMatch(/^pi 3\.14159265\d+ ranks 4 hosts worker-0,worker-1$/m);
  });
});
