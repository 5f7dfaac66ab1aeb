/** A lost node: of two real nodes, the kubelet of one stops while a job runs. */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { clusterDown, clusterStatus, clusterUp, terminalProgress, type Cluster } from '@muster/cluster';
import { importImages } from '@muster/images';
import { crdFor, EVENTS, PODS, PYTORCH_JOBS, pytorchJobDefinition, type Pod, type PyTorchJob } from '@muster/job-api';
import { createKubeClient, loadCluster, type ClusterClient } from '@muster/kube';
import { eventually, installCrd, TRAINING_TIMEOUT_MS } from '@muster/testing';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';

const WITHIN_MS = 300_000;
const NAMESPACE = 'default';
const name = `lost-${randomBytes(3).toString('hex')}`;
const progress = terminalProgress();
let cluster: Cluster;
let client: ClusterClient;

beforeAll(async () => {
  cluster = await clusterUp({ name, node: 'real', nodes: 2, progress });
  for (const { containerdSocket } of cluster.realNodes) {
    await importImages(['torch-examples'], { containerdSocket, progress });
  }
  client = createKubeClient(await loadCluster({ kubeconfig: cluster.kubeconfig }), { userAgent: 'muster-test/0' });
  await installCrd(client, crdFor(pytorchJobDefinition));
}, 20 * 60_000);

afterAll(async () => {
  await client.close();
  await clusterDown({ name, progress });
}, 60_000);

async function startOperator(): Promise<void> {
  const flags = ['--port', '0', '--leader-elect=false', '--force-delete-pods-on-lost-nodes'];
  const operator = spawn('muster', ['operator', 'pytorch-elastic', ...flags], {
    env: { ...process.env, KUBECONFIG: cluster.kubeconfig },
    stdio: 'inherit',
  });
  await once(operator, 'spawn');
  onTestFinished(async () => {
    const exited = once(operator, 'exit');
    operator.kill('SIGTERM');
    await exited;
  });
}

/**
 * Rank 1 sends a request to rank 0 on the other node. The first pod of rank 1 then runs forever. When its replacement has sent a
 * request, both ranks end.
 */
const PROGRAM = `
import http.server, os, threading, time, urllib.request
met = 0

class Meeting(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        global met
        met += 1
        self.send_response(200)
        self.end_headers()
        self.wfile.write(str(met).encode())

if os.environ["RANK"] == "0":
    server = http.server.ThreadingHTTPServer(("", 8000), Meeting)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    while met < 2:
        time.sleep(1)
    time.sleep(5)
else:
    while True:
        try:
            answer = urllib.request.urlopen("http://" + os.environ["MASTER_ADDR"] + ":8000", timeout=5).read()
            break
        except OSError:
            time.sleep(1)
    print("met", flush=True)
    if answer == b"1":
        time.sleep(100_000)
`;

function job(): PyTorchJob {
  const tolerations = ['unreachable', 'not-ready'].map((taint) => ({
    ...{ key: `node.kubernetes.io/${taint}`, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 5 },
  }));
  const labelSelector = { matchLabels: { app: 'lost' } };
  const apart = { weight: 100, podAffinityTerm: { labelSelector, topologyKey: 'kubernetes.io/hostname' } };
  const container = {
    name: 'pytorch',
    image: 'muster.local/torch-examples:2.6',
    imagePullPolicy: 'IfNotPresent',
    command: ['python', '-u', '-c', PROGRAM],
  };
  const affinity = { podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [apart] } };
  const template = {
    metadata: { labels: { app: 'lost' } },
    spec: { affinity, tolerations, terminationGracePeriodSeconds: 5, containers: [container] },
  };
  return {
    apiVersion: 'kubeflow.org/v1',
    kind: 'PyTorchJob',
    metadata: { name: 'job', namespace: NAMESPACE },
    spec: {
      runPolicy: { suspend: false, lostNodeTimeoutSeconds: 10 },
      pytorchReplicaSpecs: { Worker: { replicas: 2, restartPolicy: 'Never', template } },
    },
  };
}

const podOf = (rank: number): Promise<Pod> => client.get(PODS, { namespace: NAMESPACE, name: `job-worker-${rank}` });
const logOf = (rank: number) => client.text(`/api/v1/namespaces/${NAMESPACE}/pods/job-worker-${rank}/log`);

async function state(): Promise<object> {
  const { items } = await client.list(PODS, { namespace: NAMESPACE });
  const { status } = await client.get(PYTORCH_JOBS, { namespace: NAMESPACE, name: 'job' });
  return { status, pods: items.map(({ metadata, spec, status: its }) => ({ metadata, on: spec?.nodeName, its })) };
}

/** The kubelet's process: a child of the recorded process, which enters the node's namespaces. */
async function kubeletOf(node: string | undefined): Promise<number> {
  const index = cluster.realNodes.findIndex((each) => each.name === node);
  const { components } = await clusterStatus({ name });
  const pid = components.find((each) => each.name === (index === 0 ? 'kubelet' : 'kubelet-2'))?.pid ?? 0;
  return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')[0]);
}

it(
  'recreates the pod of a lost node on the other node, and the job succeeds',
  { timeout: TRAINING_TIMEOUT_MS },
  async () => {
    await startOperator();
    await client.create(PYTORCH_JOBS, job());
    const hasMet = async () => (await logOf(1)).includes('met');
    await eventually(() => hasMet().catch(() => false), { withinMs: WITHIN_MS, describe: state });
    const [first, lost] = [await podOf(0), await podOf(1)];
    expect(lost.spec?.nodeName).not.toBe(first.spec?.nodeName);

    const kubelet = await kubeletOf(lost.spec?.nodeName);
    expect(readFileSync(`/proc/${kubelet}/comm`, 'utf8').trim()).toBe('kubelet');
    process.kill(kubelet, 'SIGSTOP');
    onTestFinished(() => void process.kill(kubelet, 'SIGCONT'));

    const isNew = async () => {
      const pod = await podOf(1);
      return pod.metadata?.uid !== lost.metadata?.uid && pod;
    };
    const again = await eventually(() => isNew().catch(() => false as const), { withinMs: WITHIN_MS, describe: state });
    expect(again.metadata?.uid).not.toBe(lost.metadata?.uid);
    const ended = await eventually(
      async () => {
        const { status } = await client.get(PYTORCH_JOBS, { namespace: NAMESPACE, name: 'job' });
        return status?.completionTime !== undefined && status;
      },
      { withinMs: WITHIN_MS, describe: state },
    );
    expect(ended).toMatchObject({ state: 'Succeeded', restartCount: 0, disruptionCount: 1 });
    expect((await podOf(1)).spec?.nodeName).toBe(first.spec?.nodeName);
    const { items } = await client.list(EVENTS, { namespace: NAMESPACE });
    expect(items.map(({ reason }) => reason)).toContain('ForcedDeletePod');
  },
);
