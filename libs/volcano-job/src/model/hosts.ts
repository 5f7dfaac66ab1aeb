/** DNS names of a Volcano Job's pods: `<pod>.<job>`, valid within the namespace. */
import { replicaName } from '@muster/job-api';
import type { VolcanoTask, VolcanoTasks } from './volcano-tasks.ts';

export interface Host {
  readonly hostname: string;
  readonly subdomain: string;
}

/** A hostname or subdomain in the template takes precedence; all pods of the task share it. */
function hostOf(job: VolcanoTasks, { name, template }: VolcanoTask, index: number): Host {
  const { hostname, subdomain } = template.spec ?? {};
  return { hostname: hostname || replicaName(job.name, name, index), subdomain: subdomain || job.name };
}

export function addressOf(job: VolcanoTasks, task: VolcanoTask, index: number): string {
  const { hostname, subdomain } = hostOf(job, task, index);
  return `${hostname}.${subdomain}`;
}

/** Without duplicates: a task whose template has a hostname is one host. */
export function hostsOf(job: VolcanoTasks, task: VolcanoTask): Host[] {
  const count = task.template.spec?.hostname ? Math.min(task.replicas, 1) : task.replicas;
  return Array.from({ length: count }, (_host, index) => hostOf(job, task, index));
}

export function addressesOf(job: VolcanoTasks, task: VolcanoTask): string[] {
  return hostsOf(job, task).map(({ hostname, subdomain }) => `${hostname}.${subdomain}`);
}
