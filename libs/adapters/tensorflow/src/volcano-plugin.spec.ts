/** Objects of Volcano Jobs with the plugin `tensorflow` (`golden/volcano`), and refused tasks and arguments. */
import { objectsOf } from '@muster/common-job-controller';
import { volcanoJobDefinition, type VolcanoJob } from '@muster/job-api';
import { describeGoldenObjects } from '@muster/testing';
import { volcanoJobAdapter } from '@muster/volcano-job';
import { describe, expect, it } from 'vitest';
import { tensorflowPlugin } from './volcano-plugin.ts';

const adapter = volcanoJobAdapter(tensorflowPlugin);
const GOLDEN = new URL('../golden/volcano/', import.meta.url);

describeGoldenObjects<VolcanoJob>(
  { definition: volcanoJobDefinition, objectsOf: (job, settings) => objectsOf(adapter, job, settings) },
  { manifests: GOLDEN, golden: GOLDEN, serviceModes: ['PerJob'] },
);

const template = { spec: { containers: [{ name: 'tensorflow', image: 'registry.example/mnist:1' }] } };

function problemsOfJob(args: string[], tasks: Record<string, number>) {
  const spec = {
    plugins: { tensorflow: args },
    tasks: Object.entries(tasks).map(([name, replicas]) => ({ name, replicas, template })),
  };
  return adapter.problems({ metadata: { name: 'mnist', namespace: 'team' }, spec });
}

describe('the plugin tensorflow', () => {
  it.each<[what: string, args: string[], tasks: Record<string, number>]>([
    ['no role, of one pod', [], { train: 1 }],
    ['workers alone', [], { worker: 2 }],
    ['a chief of another name', ['--chief=boss'], { boss: 1, ps: 1 }],
    ['tasks that have no role', [], { worker: 1, board: 1 }],
  ])('accepts a job with %s', (_what, args, tasks) => {
    expect(problemsOfJob(args, tasks)).toEqual([]);
  });

  it.each<[what: string, args: string[], tasks: Record<string, number>, path: string, message: string]>([
    [
      'several pods and no role',
      [],
      { train: 2 },
      'spec.plugins.tensorflow',
      'none of the tasks (train) is a role (--ps=ps,',
    ],
    [
      'a missing task',
      ['--ps=ps', '--worker=trainer'],
      { ps: 1, worker: 1 },
      'spec.plugins.tensorflow[1]',
      'Invalid value: "--worker=trainer": there is no task trainer: the tasks are ps, worker',
    ],
    [
      'one task in two roles',
      ['--chief=worker'],
      { worker: 1, ps: 1 },
      'spec.plugins.tensorflow[0]',
      '--worker names this task already: name another',
    ],
  ])('refuses a job with %s', (_what, args, tasks, path, expected) => {
    const [problem, ...others] = problemsOfJob(args, tasks);
    expect(problem?.path).toBe(path);
    expect(problem?.message).toContain(expected);
    expect(others).toEqual([]);
  });
});
