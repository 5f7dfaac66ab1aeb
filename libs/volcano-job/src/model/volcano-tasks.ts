/** The tasks of a Volcano Job, with the defaults of Volcano's admission webhook. */
import type { PodTemplateSpec, VolcanoJob, VolcanoTaskSpec } from '@muster/job-api';

export interface VolcanoTask {
  readonly name: string;
  readonly replicas: number;
  readonly template: PodTemplateSpec;
  readonly path: string;
  readonly spec: VolcanoTaskSpec;
}

export interface VolcanoTasks {
  readonly name: string;
  readonly namespace: string;
  readonly tasks: readonly VolcanoTask[];
}

export function volcanoTasks({ metadata, spec }: VolcanoJob): VolcanoTasks {
  const { name = '', namespace = 'default' } = metadata ?? {};
  const tasks = spec.tasks.map((task, at) => ({
    // As in Go, a missing name is an empty name.
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

export function replicasOf(job: VolcanoTasks, name: string): number {
  return taskNamed(job, name)?.replicas ?? 0;
}
