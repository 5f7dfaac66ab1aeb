/**
 * Running jobs with real programs move from the real upstream operators to Muster and back: each program continues, and repeats no step. Builds
 * the operators and the images if they are missing, which takes minutes. Linux and root only.
 */
import { readFileSync } from 'node:fs';
import { terminalProgress } from '@muster/cluster';
import { importImages } from '@muster/images';
import {
  PYTORCH_JOBS,
  RAY_CLUSTERS,
  RAY_SERVICES,
  type KubeObject,
  type PyTorchJob,
  type RayCluster,
  type RayService,
} from '@muster/job-api';
import { eventually } from '@muster/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import type { MovedKind } from '../test-support/moved-kinds.ts';
import { NAMESPACE, TakeoverFixture } from '../test-support/takeover-fixture.ts';

const WITHIN_MS = 600_000;
const LIMIT_MS = 3_600_000;
/** More than two changes of the operator take: the programs do not end. */
const EPOCHS = 10_000;

const example = <T extends KubeObject>(path: string): T =>
  parseAllDocuments(readFileSync(new URL(`../../../examples/${path}`, import.meta.url), 'utf8'))
    .at(-1)
    ?.toJS() as T;

function pytorchJob(): PyTorchJob['spec'] {
  const { spec } = example<PyTorchJob>('pytorch-elastic/static.yaml');
  const env = [
    { name: 'EPOCHS', value: String(EPOCHS) },
    { name: 'EPOCH_SECONDS', value: '1' },
  ];
  for (const { template } of Object.values(spec.pytorchReplicaSpecs)) {
    for (const container of template.spec?.containers ?? []) container.env = env;
  }
  return spec;
}

interface Program {
  readonly kind: MovedKind;
  readonly name: string;
  readonly image: Parameters<typeof importImages>[0][number];
  readonly node: string;
  /** Starts the program, if the job does not. */
  start(fixture: TakeoverFixture): Promise<void>;
  /** The output of the program. */
  output(fixture: TakeoverFixture): Promise<string>;
}

const ray = (path: string) =>
  `/api/v1/namespaces/${NAMESPACE}/services/moved-head-svc:dashboard/proxy/api/jobs/${path}`;

const PROGRAMS: readonly Program[] = [
  {
    kind: {
      ...{ operator: 'training-operator', framework: 'pytorch-elastic', resource: PYTORCH_JOBS, pods: 3 },
      ...{ spec: pytorchJob(), lost: { pod: /-worker-1$/, by: 'deletion' } },
    },
    ...{ name: 'moved', image: 'torch-examples', node: 'torch' },
    start: () => Promise.resolve(),
    output: ({ client }) => client.text(`/api/v1/namespaces/${NAMESPACE}/pods/moved-master-0/log?container=pytorch`),
  },
  {
    kind: {
      ...{ operator: 'kuberay', framework: 'ray', resource: RAY_CLUSTERS, pods: 3 },
      ...{ spec: example<RayCluster>('ray/raycluster.yaml').spec, lost: { pod: /-worker-/, by: 'deletion' } },
      runs: (status) => Reflect.get(status, 'state') === 'ready',
    },
    ...{ name: 'moved', image: 'ray-examples', node: 'ray' },
    async start({ client }) {
      const body = {
        entrypoint: `python train.py --epoch-seconds 1 --epochs ${EPOCHS}`,
        submission_id: 'training',
      };
      const submitted = async () => (await client.proxied({ method: 'POST', path: ray(''), body })).code === 200;
      await eventually(submitted, { withinMs: WITHIN_MS, describe: 'the dashboard accepts the job' });
    },
    async output({ client }) {
      const { text } = await client.proxied({ method: 'GET', path: ray('training/logs') });
      return (JSON.parse(text) as { logs: string }).logs;
    },
  },
];

describe.each(PROGRAMS)('$kind.resource.kind', { timeout: LIMIT_MS }, (program) => {
  const { kind, name } = program;
  let fixture: TakeoverFixture;

  beforeAll(async () => {
    fixture = await TakeoverFixture.up(`taken-${program.node}-${process.pid}`, kind.operator, 'real');
    const { containerdSocket = '' } = fixture.cluster;
    await importImages([program.image], { containerdSocket, progress: terminalProgress() });
  }, LIMIT_MS);

  afterAll(() => fixture?.down(), LIMIT_MS);

  const epochs = async () =>
    [...(await program.output(fixture)).matchAll(/^epoch (\d+)\//gm)].map(([, epoch]) => Number(epoch));

  /** Waits until the program has made three more steps. */
  async function toContinue(): Promise<void> {
    const from = (await epochs()).length;
    const describe = async () => ({ from, output: (await program.output(fixture)).slice(-1000) });
    await eventually(async () => (await epochs()).length >= from + 3, { withinMs: WITHIN_MS, describe });
  }

  it('runs in the same pods under Muster, and then under the upstream operator again, and repeats no step', async () => {
    await fixture.create(kind, name);
    await fixture.toRun(kind, name);
    await program.start(fixture);
    await eventually(async () => (await epochs()).length > 0, {
      withinMs: WITHIN_MS,
      describe: () => program.output(fixture).catch(String),
    });
    const before = await fixture.state(kind, name);

    await fixture.upstream.stop();
    await fixture.startMuster([kind.framework]);
    await toContinue();
    expect((await fixture.state(kind, name)).pods).toEqual(before.pods);

    await fixture.goBack([kind]);
    await toContinue();
    const after = await fixture.state(kind, name);
    expect(after.pods).toEqual(before.pods);
    expect(after.status.startTime).toBe(before.status.startTime);

    const done = await epochs();
    expect(done).toEqual(done.map((_, at) => at + 1));
  });
});

describe('RayService', { timeout: LIMIT_MS }, () => {
  const name = 'moved';
  const kind: MovedKind = {
    ...{ operator: 'kuberay', framework: 'ray', resource: RAY_SERVICES, pods: 2 },
    ...{ spec: rayService(), lost: { pod: /-worker-/, by: 'deletion' } },
    runs: (status) => Reflect.get(status, 'serviceStatus') === 'Running',
  };
  let fixture: TakeoverFixture;

  beforeAll(async () => {
    fixture = await TakeoverFixture.up(`taken-serve-${process.pid}`, kind.operator, 'real');
    const { containerdSocket = '' } = fixture.cluster;
    await importImages(['ray-examples'], { containerdSocket, progress: terminalProgress() });
  }, LIMIT_MS);

  afterAll(() => fixture?.down(), LIMIT_MS);

  const answer = async () => {
    const path = `/api/v1/namespaces/${NAMESPACE}/services/${name}-serve-svc:serve/proxy/fruit`;
    const { code, text } = await fixture.client.proxied({ method: 'POST', path, body: ['mango', 2] });
    return `${code} ${text}`;
  };
  const isAnswer = (text: string) => /^200 [68](\.0)?$/.test(text);

  /** Sends requests one after another until the work is done. Returns those that failed. */
  async function lostDuring(work: () => Promise<void>): Promise<{ readonly lost: string[]; readonly sent: number }> {
    const lost: string[] = [];
    let [isDone, sent] = [false, 0];
    const load = async () => {
      while (!isDone) {
        const text = await answer().catch(String);
        sent++;
        if (!isAnswer(text)) lost.push(`${new Date().toISOString()} ${text}`);
      }
    };
    const sending = load();
    await work().finally(() => (isDone = true));
    await sending;
    return { lost, sent };
  }

  /** Changes the config, which the running cluster gets. */
  async function toAnswer(price: number): Promise<void> {
    const { serveConfigV2 = '' } = rayService();
    const config = serveConfigV2.replace('price: 3', `price: ${price}`);
    const key = { namespace: NAMESPACE, name };
    await fixture.client.patch(RAY_SERVICES, key, { spec: { serveConfigV2: config } });
    await fixture.until(kind, name, async () => (await answer()).startsWith(`200 ${2 * price}`));
  }

  it('answers all requests with the same cluster under Muster, and then under the upstream operator again', async () => {
    await fixture.create(kind, name);
    await fixture.toRun(kind, name);
    await fixture.until(kind, name, async () => isAnswer(await answer()));
    const before = await fixture.state(kind, name);
    const clusters = async () => (await fixture.client.list(RAY_CLUSTERS, { namespace: NAMESPACE })).items;
    const [cluster] = await clusters();

    const { lost, sent } = await lostDuring(async () => {
      await fixture.upstream.stop();
      await fixture.startMuster([kind.framework]);
      await toAnswer(4);
      const { status } = await fixture.client.get(RAY_SERVICES, { namespace: NAMESPACE, name });
      expect(status?.muster).toBeDefined();
      expect(await fixture.state(kind, name)).toMatchObject({ pods: before.pods, services: before.services });

      await fixture.goBack([kind]);
      await toAnswer(3);
      expect(await fixture.state(kind, name)).toMatchObject({ pods: before.pods, services: before.services });
    });
    expect(lost).toEqual([]);
    expect(sent).toBeGreaterThan(100);
    expect((await clusters()).map(({ metadata }) => metadata?.uid)).toEqual([cluster?.metadata?.uid]);
  });
});

/** Of the example. The image has no wget, with which KubeRay's own probe of a worker checks the proxy. */
function rayService(): RayService['spec'] {
  const { spec } = example<RayService>('ray/rayservice.yaml');
  for (const { template } of spec.rayClusterConfig.workerGroupSpecs ?? []) {
    for (const container of template.spec?.containers ?? []) {
      container.readinessProbe = { httpGet: { path: '/-/healthz', port: 8000 } };
    }
  }
  return spec;
}
