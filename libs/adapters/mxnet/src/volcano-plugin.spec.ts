/** Objects of Volcano Jobs with the plugin `mxnet` (`golden/volcano`), and refused tasks and arguments. */
import { objectsOf } from '@muster/common-job-controller';
import { volcanoJobDefinition, type VolcanoJob } from '@muster/job-api';
import { describeGoldenObjects } from '@muster/testing';
import { volcanoJobAdapter } from '@muster/volcano-job';
import { expect, it } from 'vitest';
import { mxnetPlugin } from './volcano-plugin.ts';

const adapter = volcanoJobAdapter(mxnetPlugin);
const GOLDEN = new URL('../golden/volcano/', import.meta.url);

describeGoldenObjects<VolcanoJob>(
  { definition: volcanoJobDefinition, objectsOf: (job, settings) => objectsOf(adapter, job, settings) },
  { manifests: GOLDEN, golden: GOLDEN, serviceModes: ['PerJob'] },
);

const template = { spec: { containers: [{ name: 'mxnet', image: 'registry.example/lenet:1' }] } };

it.each<[what: string, tasks: Record<string, number>, path: string, message: string]>([
  [
    'two schedulers',
    { scheduler: 2, server: 1, worker: 1 },
    'spec.tasks[0].replicas',
    'Invalid value: 2: a job has one scheduler',
  ],
  ['no servers', { scheduler: 1, worker: 1 }, 'spec.plugins.mxnet', 'there is no task --server=server with replicas'],
  [
    'no scheduler',
    { server: 1, worker: 1 },
    'spec.plugins.mxnet',
    'there is no task --scheduler=scheduler with replicas',
  ],
])('the plugin mxnet refuses a job with %s', (_what, counts, path, expected) => {
  const tasks = Object.entries(counts).map(([name, replicas]) => ({ name, replicas, template }));
  const spec = { plugins: { mxnet: [] }, tasks };
  const [problem, ...others] = adapter.problems({ metadata: { name: 'lenet', namespace: 'team' }, spec });
  expect(problem?.path).toBe(path);
  expect(problem?.message).toContain(expected);
  expect(others).toEqual([]);
});
