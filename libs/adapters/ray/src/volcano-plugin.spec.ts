/** Objects of Volcano Jobs with the plugin `ray` (`golden/volcano`), and refused tasks and arguments. */
import { objectsOf } from '@muster/common-job-controller';
import { volcanoJobDefinition, type VolcanoJob } from '@muster/job-api';
import { describeGoldenObjects } from '@muster/testing';
import { volcanoJobAdapter } from '@muster/volcano-job';
import { expect, it } from 'vitest';
import { rayPlugin } from './volcano-plugin.ts';

const adapter = volcanoJobAdapter(rayPlugin);
const GOLDEN = new URL('../golden/volcano/', import.meta.url);

describeGoldenObjects<VolcanoJob>(
  { definition: volcanoJobDefinition, objectsOf: (job, settings) => objectsOf(adapter, job, settings) },
  { manifests: GOLDEN, golden: GOLDEN, serviceModes: ['PerJob'] },
);

const template = { spec: { containers: [{ name: 'ray', image: 'registry.example/ray:1' }] } };

it.each<[what: string, args: string[], tasks: Record<string, number>, path: string, message: string]>([
  [
    'no head',
    [],
    { worker: 1 },
    'spec.plugins.ray',
    'there is no task --head=head: set --head to the task of the head (worker)',
  ],
  ['two heads', [], { head: 2 }, 'spec.tasks[0].replicas', 'Invalid value: 2: a cluster has one head'],
  [
    'no container of that name',
    ['--headContainer=ray'],
    { head: 1, worker: 1 },
    'spec.tasks[1].template.spec.containers',
    'no container has the name worker: set --workerContainer to the container that runs Ray (ray)',
  ],
])('the plugin ray refuses a job with %s', (_what, args, counts, path, expected) => {
  const tasks = Object.entries(counts).map(([name, replicas]) => ({ name, replicas, template }));
  const spec = { plugins: { ray: args }, tasks };
  const [problem, ...others] = adapter.problems({ metadata: { name: 'fleet', namespace: 'team' }, spec });
  expect(problem?.path).toBe(path);
  expect(problem?.message).toContain(expected);
  expect(others).toEqual([]);
});
