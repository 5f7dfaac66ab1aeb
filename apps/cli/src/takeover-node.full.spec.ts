/**
 * Running jobs with real programs move from the real upstream operators to Muster and back: each program continues, and repeats no step. Builds
 * the operators and the images if they are missing, which takes minutes. Linux and root only.
 */
import { readFileSync } from 'node:fs';
import { terminalProgress } from '@muster/cluster';
import { importImages } from '@muster/images';
import { PYTORCH_JOBS, RAY_CLUSTERS, type KubeObject, type PyTorchJob, type RayCluster } from '@muster/job-api';
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
