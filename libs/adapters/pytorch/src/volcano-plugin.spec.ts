/** Objects of Volcano Jobs with the plugin `pytorch` (`golden/volcano`), and refused tasks and arguments. */
import { objectsOf } from '@muster/common-job-controller';
import { volcanoJobDefinition, type VolcanoJob } from '@muster/job-api';
import { describeGoldenObjects } from '@muster/testing';
import { volcanoJobAdapter } from '@muster/volcano-job';
import { expect, it } from 'vitest';
import { pytorchPlugin } from './volcano-plugin.ts';

const adapter = volcanoJobAdapter(pytorchPlugin);
const GOLDEN = new URL('../golden/volcano/', import.meta.url);

describeGoldenObjects<VolcanoJob>(
  { definition: volcanoJobDefinition, objectsOf: (job, settings) => objectsOf(adapter, job, settings) },
  { manifests: GOLDEN, golden: GOLDEN, serviceModes: ['PerJob'] },
);

const template = { spec: { containers: [{ name: 'train', image: 'registry.example/ddp:1' }] } };

it.each<[what: string, args: string[], tasks: Record<string, number>, path: string, message: string]>([
  ['two masters', [], { master: 2, worker: 1 }, 'spec.tasks[0].replicas', 'Invalid value: 2: a job has one master'],
  ['no role', [], { train: 2 }, 'spec.plugins.pytorch', 'none of the tasks (train) is the master (--master=master)'],
  ['no replicas', [], { master: 0, worker: 0 }, 'spec.plugins.pytorch', 'with replicas: set these flags'],
  [
    'a non-numeric number of processes',
    ['--nproc-per-node=all'],
    { worker: 1 },
    'spec.plugins.pytorch[0]',
    'auto, cpu, gpu or a number',
  ],
])('the plugin pytorch refuses a job with %s', (_what, args, counts, path, expected) => {
  const tasks = Object.entries(counts).map(([name, replicas]) => ({ name, replicas, template }));
  const spec = { plugins: { pytorch: args }, tasks };
  const [problem, ...others] = adapter.problems({ metadata: { name: 'ddp', namespace: 'team' }, spec });
  expect(problem?.path).toBe(path);
  expect(problem?.message).toContain(expected);
  expect(others).toEqual([]);
});
