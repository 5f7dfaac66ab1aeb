/** `dependsOn`: pods of a task are created once the tasks it depends on have enough running or succeeded pods. */
import type { Problem, ReplicaRole, RoleTally } from '@muster/common-job-controller';
import type { VolcanoTaskSpec } from '@muster/job-api';
import { leastOf, type VolcanoTrainingJob } from './read-volcano-job.ts';
import { taskNamed, type VolcanoTask, type VolcanoTasks } from './volcano-tasks.ts';

export function mayStart({ options }: VolcanoTrainingJob, role: ReplicaRole, tallies: readonly RoleTally[]): boolean {
  const spec = taskNamed(options.tasks, role.name)?.spec;
  const needed = neededBy(spec);
  const isUp = (name: string) => {
    const task = taskNamed(options.tasks, name);
    const tally = tallies.find((each) => each.role.name === name);
    return task === undefined || tally === undefined || tally.ready + tally.succeeded >= leastOf(task);
  };
  // As in Volcano, `iteration` has no effect on a single name.
  return needed.length > 1 && spec?.dependsOn?.iteration === 'any' ? needed.some(isUp) : needed.every(isUp);
}

export function waitsFor({ options }: VolcanoTrainingJob, role: ReplicaRole, tallies: readonly RoleTally[]): string {
  const spec = taskNamed(options.tasks, role.name)?.spec;
  const conditions = neededBy(spec).map((name) => {
    const task = taskNamed(options.tasks, name);
    const { ready = 0, succeeded = 0 } = tallies.find((each) => each.role.name === name) ?? {};
    const least = task === undefined ? 0 : leastOf(task);
    return `${least} of ${name} ${least === 1 ? 'is' : 'are'} ready (now ${ready + succeeded})`;
  });
  return conditions.join(spec?.dependsOn?.iteration === 'any' ? ', or ' : ', and ');
}

/** Dependencies on missing tasks, and cycles. */
export function dependencyProblems(job: VolcanoTasks): Problem[] {
  const unknown = job.tasks.flatMap(({ path, spec }) =>
    neededBy(spec).flatMap((name, at): Problem[] => {
      if (taskNamed(job, name) !== undefined) return [];
      const known = job.tasks.map((task) => task.name).join(', ');
      const message = `Invalid value: "${name}": there is no task ${name}: the tasks are ${known}`;
      return [{ path: `${path}.dependsOn.name[${at}]`, message }];
    }),
  );
  const inCircle = job.tasks.find(({ name }) => reachable(job, name).has(name));
  if (unknown.length > 0 || inCircle === undefined) return unknown;
  const message = `Forbidden: task ${inCircle.name} depends on itself, directly or through other tasks: remove the cycle`;
  return [{ path: `${inCircle.path}.dependsOn.name`, message }];
}

function reachable(job: VolcanoTasks, from: string): Set<string> {
  const found = new Set<string>();
  const next = [...neededBy(taskNamed(job, from)?.spec)];
  for (let name = next.pop(); name !== undefined; name = next.pop()) {
    if (found.has(name)) continue;
    found.add(name);
    next.push(...neededBy(taskNamed(job, name)?.spec));
  }
  return found;
}

export function dependsOnOthers({ spec }: Pick<VolcanoTask, 'spec'>): boolean {
  return neededBy(spec).length > 0;
}

function neededBy(spec: VolcanoTaskSpec | undefined): readonly string[] {
  return spec?.dependsOn?.name ?? [];
}
