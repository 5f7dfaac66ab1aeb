/** The tasks of a Volcano Job, with the defaults that Volcano's webhook fills in. */
import type { PodTemplateSpec, VolcanoJob, VolcanoTaskSpec } from '@muster/job-api';

export interface VolcanoTask {
  readonly name: string;
  readonly replicas: number;
  readonly template: PodTemplateSpec;
  /** `spec.tasks[1]` */
  readonly path: string;
  readonly spec: VolcanoTaskSpec;
}

/** A Job as its plugins see it. */
export interface VolcanoTasks {
  readonly name: string;
  readonly namespace: string;
  readonly tasks: readonly VolcanoTask[];
}

export function volcanoTasks({ metadata, spec }: VolcanoJob): VolcanoTasks {
  const { name = '', namespace = 'default' } = metadata ?? {};
  const tasks = spec.tasks.map((task, at) => ({
    // As in Go, a name that is left out is an empty one.
    name: task.name || `default${at}`,
    replicas: task.replicas ?? 0,
    template: task.template,
    path: `spec.tasks[${at}]`,
    spec: task,
  }));
  return { name, namespace, tasks };
}

export function taskNamed({ tasks }: VolcanoTasks, name: string): VolcanoTask | undefined {
  return tasks.find((task) => task.name === name);
}

/** 0 where there is no such task. */
export function replicasOf(job: VolcanoTasks, name: string): number {
  return taskNamed(job, name)?.replicas ?? 0;
}
