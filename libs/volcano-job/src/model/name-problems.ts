import type { Problem } from '@muster/common-job-controller';
import { replicaName } from '@muster/job-api';
import type { VolcanoTasks } from './volcano-tasks.ts';

/** The limit of a DNS label. */
const LONGEST = 63;

const SERVICE = /^[a-z]([-a-z0-9]*[a-z0-9])?$/;

export function nameProblems({ name, tasks }: VolcanoTasks): Problem[] {
  // The API server has not generated the name yet.
  if (name === '') return [];
  const path = 'metadata.name';
  if (!SERVICE.test(name)) {
    const message = `Invalid value: "${name}": it is also the name of a Service: it must begin with a letter and have only lower-case letters, digits and -`;
    return [{ path, message }];
  }
  const longest = [
    `${name}-svc`,
    ...tasks.flatMap((task) => (task.replicas > 0 ? [replicaName(name, task.name, task.replicas - 1)] : [])),
  ].find((each) => each.length > LONGEST);
  if (longest === undefined) return [];
  const message = `Invalid value: "${name}": ${longest} would be longer than ${LONGEST} characters: choose a shorter name`;
  return [{ path, message }];
}
