/** Jobs of Volcano's API, one for each plugin that selects an operator. */
import { SeededRandom } from '@muster/fault-injection';
import { type FrameworkName, VOLCANO_JOBS } from '@muster/job-api';
import { type CampaignKind, containerOf, type JobShape, simulated } from './kinds.ts';

interface Task {
  readonly name: string;
  readonly replicas: number;
  /** Its pods never end by themselves. */
  readonly endless?: boolean;
}

interface Plugin {
  readonly framework: FrameworkName;
  readonly name: string;
  readonly args: readonly string[];
  readonly tasksOf: (pods: number) => readonly Task[];
}

const others = (pods: number, fewer: number) => Math.max(1, pods - fewer);

const PLUGINS: readonly Plugin[] = [
  {
    ...{ framework: 'tensorflow', name: 'tensorflow', args: ['--ps=ps', '--worker=worker'] },
    tasksOf: (pods) => [
      { name: 'ps', replicas: 1, endless: true },
      { name: 'worker', replicas: others(pods, 1) },
    ],
  },
  {
    ...{ framework: 'pytorch-elastic', name: 'pytorch', args: ['--master=master', '--worker=worker'] },
    tasksOf: (pods) => [
      { name: 'master', replicas: 1 },
      { name: 'worker', replicas: others(pods, 1) },
    ],
  },
  {
    ...{ framework: 'mpi', name: 'mpi', args: ['--master=master', '--worker=worker'] },
    tasksOf: (pods) => [
      { name: 'master', replicas: 1 },
      { name: 'worker', replicas: others(pods, 1), endless: true },
    ],
  },
  {
    ...{ framework: 'mxnet', name: 'mxnet', args: ['--scheduler=scheduler', '--server=server', '--worker=worker'] },
    tasksOf: (pods) => [
      { name: 'scheduler', replicas: 1, endless: true },
      { name: 'server', replicas: 1, endless: true },
      { name: 'worker', replicas: others(pods, 2) },
    ],
  },
  {
    ...{ framework: 'ray', name: 'ray', args: ['--head=head', '--headContainer=main', '--workerContainer=main'] },
    tasksOf: (pods) => [
      { name: 'head', replicas: 1, endless: true },
      { name: 'worker', replicas: others(pods, 1), endless: true },
    ],
  },
];

export const VOLCANO_KINDS: readonly CampaignKind[] = PLUGINS.map((plugin) => ({
  framework: plugin.framework,
  resource: VOLCANO_JOBS,
  rivalOf: (name) => name,
  specOf: (shape) => specOf(plugin, shape),
}));

function specOf({ name, args, tasksOf }: Plugin, { pods, ending, restartPolicy, runPolicy, seed }: JobShape): object {
  const random = new SeededRandom(seed);
  const tasks = tasksOf(pods).map((task) => ({
    ...{ name: task.name, replicas: task.replicas },
    template: {
      metadata: task.endless === true ? {} : simulated(ending),
      spec: {
        containers: [containerOf('main')],
        // The API of pods accepts only these.
        restartPolicy: ['Never', 'OnFailure'].includes(restartPolicy) ? restartPolicy : 'OnFailure',
      },
    },
  }));
  const { backoffLimit: maxRetry, ttlSecondsAfterFinished } = runPolicy;
  const policy = random.pick([
    { event: 'PodFailed', action: 'RestartJob' },
    { event: 'PodFailed', action: 'RestartTask' },
    { event: 'PodEvicted', action: 'RestartJob' },
    { event: 'PodFailed', action: 'TerminateJob' },
    { event: 'PodFailed', action: 'AbortJob' },
    { event: 'TaskCompleted', action: 'CompleteJob' },
  ]);
  return {
    plugins: { [name]: args },
    tasks,
    ...(maxRetry !== undefined && { maxRetry }),
    ...(ttlSecondsAfterFinished !== undefined && { ttlSecondsAfterFinished }),
    ...(random.isOneIn(2) && { policies: [policy] }),
  };
}
