/** The plugin `tensorflow` of Volcano Jobs: `TF_CONFIG` with the tasks that have the names of roles. */
import {
  addressOf,
  frameworkPlugin,
  port,
  replicasOf,
  task,
  taskNamed,
  withEnv,
  type Values,
  type VolcanoTask,
  type VolcanoTasks,
} from '@muster/volcano-job';
import { tfConfigText } from './tf-config.ts';
import { TF_MAIN } from './tf-main.ts';

const FLAGS = {
  ps: task('ps', 'The task of the parameter servers.'),
  worker: task('worker', 'The task of the workers.'),
  chief: task('chief', 'The task of the chief.'),
  evaluator: task('evaluator', 'The task of the evaluators.'),
  port: port(TF_MAIN.port.number, 'The port on which each replica listens.'),
};

type TFFlags = Values<typeof FLAGS>;

/** Volcano's order. */
const TYPES = ['ps', 'worker', 'chief', 'evaluator'] as const;

export const tensorflowPlugin = frameworkPlugin({
  name: 'tensorflow',
  flags: FLAGS,
  needs: ['svc'],
  inJob(job, flags) {
    // TensorFlow runs a single replica as a plain program.
    const isAlone = job.tasks.length === 1 && job.tasks[0]?.replicas === 1;
    const cluster = clusterOf(job, flags);
    const text = JSON.stringify(cluster);
    return {
      problems: isAlone || Object.keys(cluster).length > 0 ? [] : [withoutRoles(job, flags)],
      deciding: [flags.chief, flags.worker].find((name) => replicasOf(job, name) > 0),
      pod({ name }, index) {
        if (isAlone) return (spec) => spec;
        const type = TYPES.find((each) => flags[each] === name) ?? name;
        return withEnv([{ name: 'TF_CONFIG', value: tfConfigText(text, { type, index }) }], 'containers');
      },
    };
  },
});

/** The addresses of each type that has replicas. */
function clusterOf(job: VolcanoTasks, flags: TFFlags): Record<string, string[]> {
  const entries = TYPES.flatMap((type): [string, string[]][] => {
    const named = taskNamed(job, flags[type]);
    return named === undefined || named.replicas === 0 ? [] : [[type, addresses(job, named, flags.port)]];
  });
  return Object.fromEntries(entries);
}

/** One per replica, also if a template gives them all the same name. */
function addresses(job: VolcanoTasks, named: VolcanoTask, number: number): string[] {
  return Array.from({ length: named.replicas }, (_replica, index) => `${addressOf(job, named, index)}:${number}`);
}

function withoutRoles(job: VolcanoTasks, flags: TFFlags) {
  const roles = TYPES.map((type) => `--${type}=${flags[type]}`).join(', ');
  const tasks = job.tasks.map(({ name }) => name).join(', ');
  return {
    path: 'spec.plugins.tensorflow',
    message: `Required value: none of the tasks (${tasks}) is a role (${roles}): set these flags to the names of the tasks`,
  };
}
