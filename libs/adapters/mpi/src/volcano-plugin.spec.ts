/** Objects of Volcano Jobs with the plugin `mpi` (`golden/volcano`), and refused tasks and arguments. */
import { objectsOf } from '@muster/common-job-controller';
import { volcanoJobDefinition, type VolcanoJob } from '@muster/job-api';
import { describeGoldenObjects } from '@muster/testing';
import { volcanoJobAdapter } from '@muster/volcano-job';
import { expect, it } from 'vitest';
import { mpiPlugin } from './volcano-plugin.ts';

const adapter = volcanoJobAdapter(mpiPlugin);
const GOLDEN = new URL('../golden/volcano/', import.meta.url);

describeGoldenObjects<VolcanoJob>(
  { definition: volcanoJobDefinition, objectsOf: (job, settings) => objectsOf(adapter, job, settings) },
  { manifests: GOLDEN, golden: GOLDEN, serviceModes: ['PerJob'] },
);

const template = { spec: { containers: [{ name: 'mpi', image: 'registry.example/hello:1' }] } };

it('the plugin mpi refuses a job without master', () => {
  const spec = { plugins: { mpi: [] }, tasks: [{ name: 'worker', replicas: 1, template }] };
  const [problem] = adapter.problems({ metadata: { name: 'hello', namespace: 'team' }, spec });
  expect(problem?.path).toBe('spec.plugins.mpi');
  expect(problem?.message).toContain(
    'there is no task --master=master with replicas: set --master to the task that runs mpirun (worker)',
  );
});

it.each([
  [['--slots=3'], '8', 3],
  [[], '8', 8],
  [[], '500m', 1],
  [[], undefined, 1],
])('the hostfile of a job with the arguments %j and %s GPUs has %i slots', (args, gpus, slots) => {
  const [main] = template.spec.containers;
  const limits = { ...(gpus !== undefined && { 'nvidia.com/gpu': gpus }), cpu: '2' };
  const ofWorker = { spec: { containers: [{ ...main!, resources: { limits } }] } };
  const tasks = [
    { name: 'master', replicas: 1, template },
    { name: 'worker', replicas: 1, template: ofWorker },
  ];
  const job = { metadata: { name: 'hello', namespace: 'team', uid: '1' }, spec: { plugins: { mpi: args }, tasks } };
  const objects = objectsOf(adapter, job, { serviceMode: 'PerJob', clusterDomain: 'cluster.local' });
  const config = objects.find(({ metadata }) => metadata?.name === 'hello-mpi');
  expect(config).toMatchObject({ data: { hostfile: `hello-worker-0.hello slots=${slots}\n` } });
});
