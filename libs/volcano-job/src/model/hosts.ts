/** By which names the pods of a Volcano Job find one another: `<pod>.<job>`, good within the namespace. */
import { replicaName } from '@muster/job-api';
import type { VolcanoTask, VolcanoTasks } from './volcano-tasks.ts';

export interface Host {
  readonly hostname: string;
  readonly subdomain: string;
}

/** A template's own names count: its pods all have that one name then. */
function hostOf(job: VolcanoTasks, { name, template }: VolcanoTask, index: number): Host {
  const { hostname, subdomain } = template.spec ?? {};
  return { hostname: hostname || replicaName(job.name, name, index), subdomain: subdomain || job.name };
}

export function addressOf(job: VolcanoTasks, task: VolcanoTask, index: number): string {
  const { hostname, subdomain } = hostOf(job, task, index);
  return `${hostname}.${subdomain}`;
}

/** Each once: a task whose template has a hostname is one host. */
export function hostsOf(job: VolcanoTasks, task: VolcanoTask): Host[] {
  const count = task.template.spec?.hostname ? Math.min(task.replicas, 1) : task.replicas;
  return Array.from({ length: count }, (_host, index) => hostOf(job, task, index));
}

export function addressesOf(job: VolcanoTasks, task: VolcanoTask): string[] {
  return hostsOf(job, task).map(({ hostname, subdomain }) => `${hostname}.${subdomain}`);
}
