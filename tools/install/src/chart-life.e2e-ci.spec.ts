/** The whole life of one chart on its own cluster: it installs CRDs, and runs the jobs of all namespaces. */
import { clusterDown, clusterUp, terminalProgress, type Cluster } from '@muster/cluster';
import { importImages } from '@muster/images';
import { PYTORCH_JOBS } from '@muster/job-api';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { ChartLife } from '../test-support/chart-life.ts';

const NAME = `charts-${process.pid}`;
const OPERATORS = 'muster';
/** The number of pods in the example. */
const IMAGE = 'muster.local/torch-examples:2.6';
const LIMIT_MS = 1_200_000;

describe('the chart of pytorch-elastic', { timeout: LIMIT_MS }, () => {
  let cluster: Cluster;
  let life: ChartLife;

  beforeAll(async () => {
    const progress = terminalProgress();
    cluster = await clusterUp({ name: NAME, node: 'real', progress });
    const { containerdSocket = '' } = cluster;
    await importImages(['torch-examples'], { containerdSocket, progress });
    // The earlier chart's workers wait for their master with an image that this cluster lacks.
    const valuesBefore = [`initContainer.image="${IMAGE}"`];
    const framework = { framework: 'pytorch-elastic', resource: PYTORCH_JOBS, example: 'static', pods: 3 } as const;
    life = await ChartLife.begin(cluster, { ...framework, valuesBefore }, OPERATORS);
  }, LIMIT_MS);

  afterAll(async () => {
    await life.close();
    await clusterDown({ name: NAME, progress: terminalProgress() });
  }, LIMIT_MS);

  it('installs, is upgraded while a job trains, and keeps CRDs and jobs after its removal', () => life.live(OPERATORS));
});
