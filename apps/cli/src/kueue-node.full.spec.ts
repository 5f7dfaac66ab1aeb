/**
 * Jobs in a queue of the real Kueue, with pods that a kubelet runs: with Kueue's integrations, and with Workloads created by Muster. The queue
 * and the training job are those of `examples/`. Builds Kueue and the images if they are missing, which takes minutes. Linux and root
 * only.
 */
import { readFileSync } from 'node:fs';
import { importImages } from '@muster/images';
import { terminalProgress } from '@muster/cluster';
import { PYTORCH_JOBS, type KubeObject, type Pod, type PodTemplateSpec, type PyTorchJob } from '@muster/job-api';
import type { RayCluster } from '@muster/job-api';
import type { ClusterClient } from '@muster/kube';
import { eventually, trainingResult } from '@muster/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { BUILD_LIMIT_MS, key, KueueFixture, LIMIT_MS, NAMESPACE } from '../test-support/kueue-fixture.ts';
import { queueCases, URGENT } from '../test-support/queue-cases.ts';
import { queuedKinds } from '../test-support/queued-kinds.ts';

const WITHIN_MS = 400_000;

const example = (path: string): KubeObject[] =>
  parseAllDocuments(readFileSync(new URL(`../../../examples/${path}`, import.meta.url), 'utf8')).map(
    (document) => document.toJS() as KubeObject,
  );

const queued = example('pytorch-elastic/queued.yaml');
const training = queued.at(-1) as PyTorchJob;
const trainer = training.spec.pytorchReplicaSpecs['Master']?.template ?? {};
const rayHead = (example('ray/raycluster.yaml').at(-1) as RayCluster).spec.headGroupSpec.template;

// A port that no framework uses.
const END_PORT = 18_080;
/** Runs until it gets a request to end. */
const UNTIL_ASKED = `
import http.server, threading
class UntilAsked(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        self.send_response(200)
        self.end_headers()
        threading.Thread(target=server.shutdown).start()
server = http.server.ThreadingHTTPServer(('', ${END_PORT}), UntilAsked)
server.serve_forever()
`;

async function requestEnd(client: ClusterClient, pod: string): Promise<void> {
  const path = `/api/v1/namespaces/${NAMESPACE}/pods/${pod}:${END_PORT}/proxy/end`;
  const isAccepted = async () => (await client.proxied({ method: 'POST', path })).code === 200;
  await eventually(isAccepted, { withinMs: WITHIN_MS, describe: `${pod} accepts the request to end` });
}

/** Ray runs its own programs, the others a small one. The queue has quota for two of each. */
function template(container: string): PodTemplateSpec {
  const requests = { cpu: '100m', memory: '256Mi' };
  const [own] = (container.startsWith('ray') ? rayHead : trainer).spec?.containers ?? [];
  const program = container.startsWith('ray') ? {} : { command: ['python3', '-c', UNTIL_ASKED], env: [] };
  const resources = { ...own?.resources, requests };
  return {
    spec: {
      ...(container.startsWith('ray') && rayHead.spec),
      terminationGracePeriodSeconds: 1,
      containers: [{ ...own, ...program, name: container, resources }],
    },
  };
}

const KINDS = queuedKinds({ template, entrypoint: `python3 - <<'END'\n${UNTIL_ASKED}\nEND` });
const PYTORCH = KINDS[0]!;

let fixture: KueueFixture;

beforeAll(async () => {
  fixture = await KueueFixture.up({
    ...{ name: `kueuen-${process.pid}`, node: 'real' },
    ...{ queue: training.metadata?.labels?.['kueue.x-k8s.io/queue-name'] ?? '', withinMs: WITHIN_MS },
    endPod: requestEnd,
  });
  const { containerdSocket = '' } = fixture.cluster;
  await importImages(['torch-examples', 'ray-examples'], { containerdSocket, progress: terminalProgress() });
  await fixture.createQueues(...queued.slice(0, -1));
}, BUILD_LIMIT_MS);

afterAll(() => fixture?.down(), LIMIT_MS);

const MASTER = (name: string) => `${name}-master-0`;

function logOf(pod: string): Promise<string> {
  return fixture.client.text(`/api/v1/namespaces/${NAMESPACE}/pods/${pod}/log?container=pytorch`);
}

async function expectTrained(name: string): Promise<void> {
  const { first, last, workers, agree } = trainingResult(await logOf(MASTER(name)));
  expect({ workers, agree }).toEqual({ workers: 2, agree: true });
  expect(last).toBeLessThan(first / 5);
}

async function hasSucceeded(name: string): Promise<boolean> {
  const { status } = await fixture.client.get(PYTORCH_JOBS, key(name));
  return status?.state === 'Succeeded';
}

/** When programs started and ended, in seconds. */
function terminatedOf(pods: readonly Pod[]) {
  return pods.flatMap(({ status }) => status?.containerStatuses?.[0]?.state?.terminated ?? []);
}

describe.each([
  { mode: "with Kueue's integrations", isOwn: false },
  { mode: 'with Muster in their place', isOwn: true },
])('$mode', { timeout: LIMIT_MS }, ({ isOwn }) => {
  const kinds = KINDS.filter(({ isUnknownToKueue }) => isOwn || isUnknownToKueue !== true);

  beforeAll(() => fixture.startOperators(isOwn), LIMIT_MS);
  afterAll(() => fixture.stopOperators(), LIMIT_MS);
  afterEach(() => fixture.removeAll(kinds), LIMIT_MS);

  queueCases({ fixture: () => fixture, kinds, isOwn });

  it('the second of two training jobs waits for the first; a preempted job is restarted later', async () => {
    const [first, second, urgent] = ['trains-a', 'trains-b', 'trains-urgent'];
    await fixture.create(PYTORCH, first, training.spec);
    await fixture.until(PYTORCH, [first], async () => /^epoch 1\//m.test(await logOf(MASTER(first))));
    const before = (await fixture.podsOf(first)).map(({ metadata }) => metadata?.uid);
    await fixture.create(PYTORCH, urgent, training.spec, URGENT);
    await fixture.until(PYTORCH, [first, urgent], async () => (await fixture.podsOf(first)).length === 0);
    await fixture.create(PYTORCH, second, training.spec);
    const all = [urgent, first, second];
    for (const name of all) await fixture.until(PYTORCH, all, () => hasSucceeded(name));
    for (const name of all) await expectTrained(name);
    const pods = await fixture.podsOf(first);
    expect(pods.filter(({ metadata }) => before.includes(metadata?.uid))).toEqual([]);
    // One job at a time.
    const runs = await Promise.all(all.map(async (name) => terminatedOf(await fixture.podsOf(name))));
    const begins = runs.map((each) => each.map(({ startedAt = '' }) => startedAt).sort()[0] ?? '');
    const ends = runs.map(
      (each) =>
        each
          .map(({ finishedAt = '' }) => finishedAt)
          .sort()
          .at(-1) ?? '',
    );
    expect([begins[1]! >= ends[0]!, begins[2]! >= ends[1]!]).toEqual([true, true]);
  });
});
