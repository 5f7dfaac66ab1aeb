import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildSourceFile } from './binaries/go-build.ts';
import { stateFolder } from './cache-folders.ts';
import { type Cluster, clusterDown, clusterStatus, clusterUp, dockerArchive } from './index.ts';
import { findMarkedProcesses } from './processes/component.ts';
import { machineWideNames } from './real/node-namespaces.ts';
import { runCommand } from './run-command.ts';
import { findProgram } from './system-path.ts';
import { waitUntil } from './wait-until.ts';

const FIRST_START_MS = 40 * 60_000;
const PROBE_IMAGE = 'muster.dev/probe:1';
const isRoot = process.platform === 'linux' && process.getuid?.() === 0;

/** Everything a real node could leave on the machine. Other real nodes may start and stop meanwhile: their names are not compared. */
async function machineState(): Promise<Record<string, string[]>> {
  const links = readdirSync('/sys/class/net').filter((link) => !/^muster[0-9a-f]{8}$/.test(link));
  const mounts = readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .map((line) => line.split(' ')[4] ?? '');
  const settings = ['kernel/panic', 'kernel/panic_on_oops', 'vm/overcommit_memory', 'net/ipv4/ip_forward'];
  const rules = findProgram('iptables-save') === undefined ? '' : (await runCommand('iptables-save', [])).stdout;
  return {
    links,
    mounts: mounts.sort(),
    settings: settings.map((setting) => readFileSync(`/proc/sys/${setting}`, 'utf8')),
    networkNamespaces: existsSync('/run/netns') ? readdirSync('/run/netns') : [],
    rules: rules.split('\n').filter((line) => line.startsWith('-A')),
  };
}

function controlGroups(name: string): string[] {
  const root = '/sys/fs/cgroup';
  return [root, ...readdirSync(root).map((entry) => join(root, entry))]
    .map((hierarchy) => join(hierarchy, name))
    .filter((group) => existsSync(group));
}

describe.runIf(isRoot)('a real node', () => {
  const name = `e2e-${randomBytes(3).toString('hex')}`;
  let before: Record<string, string[]>;
  let cluster: Cluster;
  let work: string;

  const kubectl = async (args: string[], input?: string) => {
    const all = ['--kubeconfig', cluster.kubeconfig, ...args];
    return (await runCommand(join(cluster.binDir, 'kubectl'), all, input === undefined ? {} : { input })).stdout;
  };
  const probe = (pod: string, ...args: string[]) => kubectl(['exec', pod, '--', '/probe', ...args]);

  beforeAll(async () => {
    work = mkdtempSync(join(tmpdir(), 'muster-probe-'));
    const source = fileURLToPath(new URL('../probe/probe.go', import.meta.url));
    await buildSourceFile(source, join(work, 'probe'), join(work, 'build'), {});
    before = await machineState();
    cluster = await clusterUp({ name, node: 'real' });
    const files = [{ path: 'probe', content: readFileSync(join(work, 'probe')), mode: 0o755 }];
    writeFileSync(join(work, 'probe.tar'), dockerArchive({ reference: PROBE_IMAGE, files, entrypoint: ['/probe'] }));
    const socket = cluster.containerdSocket ?? '';
    await runCommand('ctr', ['-a', socket, '-n', 'k8s.io', 'images', 'import', join(work, 'probe.tar')]);
    await kubectl(['create', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items: workload() }));
    const ready = () => kubectl(['wait', '--for=condition=Ready', 'pod', '--all', '--timeout=60s']);
    await ready().catch(async (error: unknown) => {
      throw new Error(await kubectl(['describe', 'pods']), { cause: error });
    });
    // A ready pod is not yet an endpoint of its Service.
    const unanswered = () => probe('client', 'get', 'http://web').then(() => undefined, String);
    await waitUntil(unanswered, { what: 'the Service to respond', limitMs: 15_000 });
  }, FIRST_START_MS);

  afterAll(async () => {
    await clusterDown({ name });
    rmSync(work, { recursive: true, force: true });
  }, 60_000);

  it('runs a container and serves its log', async () => {
    expect(await kubectl(['logs', 'server'])).toBe('serving as server\n');
  });

  it("resolves a Service's name in a pod and routes to the pod behind it", async () => {
    const address = await kubectl(['get', 'service', 'web', '-o', 'jsonpath={.spec.clusterIP}']);
    expect(await probe('client', 'lookup', 'web')).toBe(`[${address}]\n`);
    expect(await probe('client', 'get', 'http://web')).toBe('server\n');
  });

  it('routes a pod through a Service back to itself', async () => {
    expect(await probe('server', 'get', 'http://web.default.svc.cluster.local')).toBe('server\n');
  });

  it('refuses connections to unknown Services instead of letting them hang', async () => {
    const dns = await kubectl(['get', 'service', 'kube-dns', '-n', 'kube-system', '-o', 'jsonpath={.spec.clusterIP}']);
    const unused = dns.replace(/\d+$/, '250');
    await expect(probe('client', 'get', `http://${unused}`)).rejects.toThrow(/connection refused/);
  });

  it('responds at once that a name does not exist', async () => {
    await expect(probe('client', 'lookup', 'nothing.example.org')).rejects.toThrow(/no such host/);
  });

  it('lets this machine reach pods and Services', async () => {
    const address = await kubectl(['get', 'service', 'web', '-o', 'jsonpath={.spec.clusterIP}']);
    expect(await (await fetch(`http://${address}`)).text()).toBe('server\n');
  });

  it('lets a pod reach and verify the API server with its ServiceAccount', async () => {
    expect(JSON.parse(await probe('client', 'whoami'))).toMatchObject({
      status: { userInfo: { username: 'system:serviceaccount:default:default' } },
    });
  });

  it('binds a claim to a volume of this machine that any user can write', async () => {
    await probe('server', 'write', '/data/checkpoint');
    const volumes = join(cluster.stateDir, 'volumes');
    expect(readdirSync(volumes).filter((volume) => existsSync(join(volumes, volume, 'checkpoint')))).toHaveLength(1);
  });

  it('runs pods below its own control group', async () => {
    expect(controlGroups(machineWideNames(cluster.stateDir, name).cgroup)).not.toEqual([]);
    const summary = JSON.parse(
      await kubectl(['get', '--raw', `/api/v1/nodes/${cluster.nodeName}/proxy/stats/summary`]),
    ) as {
      pods: { podRef: { name: string } }[];
    };
    expect(summary.pods.map(({ podRef }) => podRef.name).sort()).toEqual(['client', 'server']);
  });

  it('is reported as degraded once its first process, and so every process inside, is killed', async () => {
    process.kill(cluster.nodeInit?.pid ?? 0, 'SIGKILL');
    const inside = ['containerd', 'coredns', 'kube-proxy', 'kubelet', 'node'];
    const missing = async () => {
      const { components } = await clusterStatus({ name });
      const ended = components.filter(({ running }) => !running).map((component) => component.name);
      return inside.every((component) => ended.includes(component)) ? undefined : `only ${ended.join(', ')} ended`;
    };
    await waitUntil(missing, { what: 'the node to end', limitMs: 10_000 });
    expect((await clusterStatus({ name })).state).toBe('degraded');
  });

  it('leaves nothing on the machine when it is taken down', async () => {
    const { interface: link, cgroup } = machineWideNames(cluster.stateDir, name);
    await clusterDown({ name });
    expect(await machineState()).toEqual(before);
    expect(existsSync(`/sys/class/net/${link}`)).toBe(false);
    expect(controlGroups(cgroup)).toEqual([]);
    expect(findMarkedProcesses(cluster.stateDir)).toEqual([]);
    expect(existsSync(stateFolder(name))).toBe(false);
  }, 60_000);
});

function workload(): object[] {
  const image = { image: PROBE_IMAGE, imagePullPolicy: 'Never' };
  return [
    {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'data' },
      spec: { accessModes: ['ReadWriteMany'], resources: { requests: { storage: '1Gi' } } },
    },
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'server', labels: { app: 'web' } },
      spec: {
        securityContext: { runAsUser: 1234 },
        containers: [{ name: 'main', ...image, args: ['serve'], volumeMounts: [{ name: 'data', mountPath: '/data' }] }],
        volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }],
      },
    },
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'client' },
      spec: { containers: [{ name: 'main', ...image, args: ['serve'] }] },
    },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'web' },
      spec: { selector: { app: 'web' }, ports: [{ port: 80, targetPort: 8080 }] },
    },
  ];
}
