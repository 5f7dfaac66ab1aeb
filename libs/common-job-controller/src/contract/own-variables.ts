/** Warnings about variables of a template that have another value than the framework's: they take precedence, perhaps by mistake. */
import { MAX_REPLICAS, type Container, type EnvVar } from '@muster/job-api';
import type { Replica, ReplicaRole } from '../model/training-job.ts';
import type { Problem } from './adapter.ts';

/** Buffering of output does not affect how pods connect. */
const UNBUFFERED = 'PYTHONUNBUFFERED';

/** @param field the field of the spec with the roles */
export function ownVariableWarnings(
  roles: readonly ReplicaRole[],
  field: string,
  envOf: (replica: Replica) => readonly EnvVar[],
): Problem[] {
  // Variables may list all replicas. A job that was never validated may want billions, which is reported as an error.
  if (roles.some(({ replicas }) => !Number.isInteger(replicas) || replicas < 0 || replicas > MAX_REPLICAS)) return [];
  const variablesOf = (replica: Replica) => new Map(envOf(replica).map(({ name, value }) => [name, value]));
  return roles.flatMap((role) => {
    // Values that differ between replicas differ between the first and the last.
    const variables = [0, role.replicas - 1].map((index) => variablesOf({ role, index }));
    const path = `spec.${field}[${role.name}].template.spec.containers`;
    const containers = role.template.spec?.containers ?? [];
    return containers.flatMap((container, index) => ownVariables(container, variables, `${path}[${index}].env`));
  });
}

function ownVariables(
  { env = [] }: Container,
  variables: readonly ReadonlyMap<string, string | undefined>[],
  path: string,
): Problem[] {
  const own = env.filter(
    ({ name, value }) => name !== UNBUFFERED && variables.some((each) => each.has(name) && each.get(name) !== value),
  );
  if (own.length === 0) return [];
  const names = own.map(({ name }) => name).join(', ');
  const message = `${names}: set here, which overrides Muster's value. Remove it unless that is intended`;
  return [{ path, message }];
}
