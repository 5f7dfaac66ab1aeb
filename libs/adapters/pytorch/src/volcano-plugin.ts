/** The plugin `pytorch` of Volcano Jobs. Without a master the first worker leads, as in a PyTorchJob. */
import {
  addressOf,
  frameworkPlugin,
  inOrder,
  port,
  replicasOf,
  task,
  taskNamed,
  waitFlags,
  waitingFor,
  withEnv,
  withPort,
  type Values,
  type VolcanoTask,
  type VolcanoTasks,
} from '@muster/volcano-job';
import { nodeVariables, worldVariables } from './pytorch-env.ts';
import { PYTORCH_MAIN } from './pytorch-main.ts';

const FLAGS = {
  master: task('master', 'The task of the master, whose rank is 0.'),
  worker: task('worker', 'The task of the workers.'),
  port: port(PYTORCH_MAIN.port.number, 'The port on which the master listens.'),
  'nproc-per-node': {
    initial: 'auto',
    meaning: 'Processes that torchrun starts in each pod.',
    expects: 'auto, cpu, gpu or a number',
    read: (given: string) => (/^(auto|cpu|gpu|[1-9][0-9]{0,3})$/.test(given) ? given : undefined),
  },
  ...waitFlags('master'),
};

type PyTorchFlags = Values<typeof FLAGS>;

export const pytorchPlugin = frameworkPlugin({
  name: 'pytorch',
  framework: 'pytorch-elastic',
  flags: FLAGS,
  needs: ['svc'],
  inJob(job, flags) {
    const masters = replicasOf(job, flags.master);
    const size = masters + replicasOf(job, flags.worker);
    const lead = masters > 0 ? taskNamed(job, flags.master) : taskNamed(job, flags.worker);
    return {
      problems: problems(job, flags, size),
      deciding: lead?.name,
      pod: (own, index) => {
        const address = lead === undefined ? '' : addressOf(job, lead, 0);
        const rank = rankOf(own, index, masters, flags);
        const world = { address, port: flags.port, size, rank };
        return inOrder([
          withPort(PYTORCH_MAIN.port.name, flags.port, 'containers'),
          withEnv([...worldVariables(world), ...nodeVariables(String(size), flags['nproc-per-node'])], 'containers'),
          ...(flags['wait-master-enabled'] && masters > 0 && own.name === flags.worker
            ? [waiting(address, flags)]
            : []),
        ]);
      },
    };
  },
});

function rankOf({ name }: VolcanoTask, index: number, masters: number, flags: PyTorchFlags): number {
  return name === flags.worker ? masters + index : index;
}

function waiting(address: string, flags: PyTorchFlags) {
  return waitingFor({
    role: 'master',
    hosts: [address],
    port: flags.port,
    timeoutSeconds: flags['wait-master-timeout'],
    image: flags['wait-master-image'],
  });
}

function problems(job: VolcanoTasks, flags: PyTorchFlags, size: number) {
  const master = taskNamed(job, flags.master);
  if (master !== undefined && master.replicas > 1) {
    const message = `Invalid value: ${master.replicas}: a job has one master, whose rank is 0`;
    return [{ path: `${master.path}.replicas`, message }];
  }
  if (size > 0) return [];
  const tasks = job.tasks.map(({ name }) => name).join(', ');
  const message =
    `Required value: none of the tasks (${tasks}) is the master (--master=${flags.master}) or the workers ` +
    `(--worker=${flags.worker}) with replicas: set these flags to the names of the tasks`;
  return [{ path: 'spec.plugins.pytorch', message }];
}
