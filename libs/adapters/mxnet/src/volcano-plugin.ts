/** The plugin `mxnet` of Volcano Jobs: sets the address of ps-lite's scheduler and the pod's role. */
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
  type VolcanoTasks,
} from '@muster/volcano-job';
import { psVariables } from './mx-env.ts';
import { MX_MAIN } from './mx-main.ts';

const FLAGS = {
  scheduler: task('scheduler', 'The task of the scheduler, to which all others connect.'),
  server: task('server', 'The task of the parameter servers.'),
  worker: task('worker', 'The task of the workers.'),
  port: port(MX_MAIN.port.number, 'The port on which the scheduler listens.'),
  ...waitFlags('scheduler'),
};

type MXFlags = Values<typeof FLAGS>;

const ROLES = ['scheduler', 'server', 'worker'] as const;

export const mxnetPlugin = frameworkPlugin({
  name: 'mxnet',
  flags: FLAGS,
  needs: ['svc'],
  inJob(job, flags) {
    const scheduler = taskNamed(job, flags.scheduler);
    return {
      problems: problems(job, flags),
      deciding: flags.worker,
      pod(own, index) {
        const role = ROLES.find((each) => flags[each] === own.name);
        if (role === undefined || scheduler === undefined) return (spec) => spec;
        const address = addressOf(job, scheduler, 0);
        const world = {
          scheduler: { address, port: flags.port },
          servers: replicasOf(job, flags.server),
          workers: replicasOf(job, flags.worker),
        };
        return inOrder([
          withEnv(psVariables({ ...world, role, index }), 'containers'),
          ...(role === 'scheduler' ? [withPort(MX_MAIN.port.name, flags.port, 'containers')] : waiting(address, flags)),
        ]);
      },
    };
  },
});

function waiting(address: string, flags: MXFlags) {
  if (!flags['wait-scheduler-enabled']) return [];
  return [
    waitingFor({
      role: 'scheduler',
      hosts: [address],
      port: flags.port,
      timeoutSeconds: flags['wait-scheduler-timeout'],
      image: flags['wait-scheduler-image'],
    }),
  ];
}

function problems(job: VolcanoTasks, flags: MXFlags) {
  const scheduler = taskNamed(job, flags.scheduler);
  if (scheduler !== undefined && scheduler.replicas !== 1) {
    const message = `Invalid value: ${scheduler.replicas}: a job has one scheduler`;
    return [{ path: `${scheduler.path}.replicas`, message }];
  }
  return (['scheduler', 'server', 'worker'] as const).flatMap((role) => {
    if (replicasOf(job, flags[role]) > 0) return [];
    const message = `Required value: there is no task --${role}=${flags[role]} with replicas: set --${role} to the name of that task`;
    return [{ path: 'spec.plugins.mxnet', message }];
  });
}
