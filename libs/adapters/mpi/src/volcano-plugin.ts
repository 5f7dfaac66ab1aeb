/** The plugin `mpi` of Volcano Jobs: the master runs `mpirun` with a hostfile, workers run sshd by default. */
import type { Container } from '@muster/job-api';
import {
  addressesOf,
  amount,
  configMap,
  frameworkPlugin,
  inContainers,
  inOrder,
  port,
  replicasOf,
  task,
  taskNamed,
  waitFlags,
  waitingFor,
  withEnv,
  withPort,
  withVolume,
  type PodChange,
  type Values,
  type VolcanoTask,
  type VolcanoTasks,
} from '@muster/volcano-job';
import { hostLines } from './config/hostfile.ts';
import { CONFIG_FOLDER, HOSTFILE, HOSTFILE_PATH } from './pods/container-paths.ts';
import { wholeGpus } from './pods/gpu-launcher.ts';
import { forBothOpenMPIs } from './pods/implementation-env.ts';

const SSH_PORT = 22;

const FLAGS = {
  master: task('master', 'The task of the master, which runs mpirun.'),
  worker: task('worker', 'The task of the workers.'),
  port: port(SSH_PORT, 'The port of sshd. Clients of the plugin ssh use it, too, unless ssh-port is set.'),
  slots: amount('Processes per worker. Default: its limit of GPUs, or else 1.'),
  ...waitFlags('worker'),
};

type MPIFlags = Values<typeof FLAGS>;

export const mpiPlugin = frameworkPlugin({
  name: 'mpi',
  flags: FLAGS,
  needs: ['svc', 'ssh'],
  inJob(job, flags) {
    const workers = taskNamed(job, flags.worker);
    const common = inOrder([
      withPort('mpijob-port', flags.port, 'all'),
      ...(workers === undefined ? [] : [hostfileMount(job)]),
    ]);
    return {
      problems: replicasOf(job, flags.master) > 0 ? [] : [withoutMaster(job, flags)],
      deciding: flags.master,
      sshPort: flags.port,
      pod({ name }) {
        if (name === flags.master)
          return workers === undefined ? (spec) => spec : inOrder([common, master(job, workers, flags)]);
        return inOrder([common, inContainers('containers', sshd(flags.port))]);
      },
      ownedResources:
        workers === undefined ? [] : [configMap(hostfileName(job), { [HOSTFILE]: hostfile(job, workers, flags) })],
    };
  },
});

function master(job: VolcanoTasks, workers: VolcanoTask, flags: MPIFlags): PodChange {
  const hosts = addressesOf(job, workers);
  const wait = waitingFor({
    role: 'worker',
    hosts,
    port: flags.port,
    timeoutSeconds: flags['wait-worker-timeout'],
    image: flags['wait-worker-image'],
  });
  return inOrder([
    withEnv([{ name: 'MPI_HOST', value: hosts.join(',') }], 'all'),
    ...(flags['wait-worker-enabled'] ? [wait] : []),
  ]);
}

/** In every container, because the `mpirun` of a worker starts processes on other workers. */
function hostfileMount(job: VolcanoTasks): PodChange {
  const name = hostfileName(job);
  const variable = { name: 'OMPI_MCA_orte_default_hostfile', value: HOSTFILE_PATH };
  const withHostfile = (container: Container) => {
    const env = forBothOpenMPIs(container.env ?? [], [variable]);
    return withEnv(env, 'containers')({ containers: [container] }).containers[0] ?? container;
  };
  return inOrder([
    inContainers('containers', withHostfile),
    withVolume({ name, configMap: { name } }, { mountPath: CONFIG_FOLDER }, 'containers'),
  ]);
}

function hostfile(job: VolcanoTasks, workers: VolcanoTask, { slots }: MPIFlags): string {
  const perHost = slots ?? Math.max(1, wholeGpus(workers.template.spec ?? { containers: [] }));
  return hostLines(addressesOf(job, workers), perHost, 'OpenMPI');
}

function hostfileName({ name }: VolcanoTasks): string {
  return `${name}-mpi`;
}

/** A container without a command runs sshd on this port, whatever its image configures. */
function sshd(number: number): (container: Container) => Container {
  const command = ['/usr/sbin/sshd', '-De', '-p', String(number)];
  return (container) => (container.command?.length || container.args?.length ? container : { ...container, command });
}

function withoutMaster(job: VolcanoTasks, { master: name }: MPIFlags) {
  const tasks = job.tasks.map((each) => each.name).join(', ');
  const message = `Required value: there is no task --master=${name} with replicas: set --master to the task that runs mpirun (${tasks})`;
  return { path: 'spec.plugins.mpi', message };
}
