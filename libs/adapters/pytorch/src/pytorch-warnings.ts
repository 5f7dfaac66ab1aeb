/** Warnings about valid settings that are probably mistakes. */
import type { Problem, Replica } from '@muster/common-job-controller';
import type { Container, PyTorchJob } from '@muster/job-api';
import { pytorchEnv } from './pytorch-env.ts';
import { readPyTorchJob, type PyTorchOptions } from './pytorch-options.ts';

export function pytorchWarnings(manifest: PyTorchJob): Problem[] {
  const { roles, options } = readPyTorchJob(manifest);
  const metadata = { name: '', namespace: '', uid: '', ...manifest.metadata };
  const variablesOf = (replica: Replica) =>
    new Map(pytorchEnv({ metadata, roles, options }, replica).map(({ name, value }) => [name, value]));
  const own = roles.flatMap((role) => {
    // Values that differ between replicas differ between the first and the last.
    const variables = [0, role.replicas - 1].map((index) => variablesOf({ role, index }));
    const path = `spec.pytorchReplicaSpecs[${role.name}].template.spec.containers`;
    const containers = role.template.spec?.containers ?? [];
    return containers.flatMap((container, index) => ownVariables(container, variables, `${path}[${index}].env`));
  });
  const workers = roles.find(({ name }) => name === 'Worker')?.replicas;
  return [...own, ...(options.elasticPolicy === undefined ? [] : elasticWarnings(options, workers))];
}

/** A template's own variable takes precedence, perhaps by mistake. */
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

/** Buffering of output does not affect how pods connect. */
const UNBUFFERED = 'PYTHONUNBUFFERED';

const UNREAD_WHEN_ALONE = ['rdzvBackend', 'rdzvHost', 'rdzvPort', 'rdzvId'] as const;

function elasticWarnings({ elasticPolicy, hasMaster }: PyTorchOptions, workers = 0): Problem[] {
  if (elasticPolicy === undefined) return [];
  const { minReplicas: min, maxReplicas: max, standalone, fitToCapacity } = elasticPolicy;
  const nodes = workers + (hasMaster ? 1 : 0);
  const at = (field: string, message: string): Problem => ({ path: `spec.elasticPolicy.${field}`, message });
  return [
    ...(nodes < min
      ? [at('minReplicas', `is ${min}, and there are ${nodes} pods: torchrun waits forever for more`)]
      : []),
    ...(workers > max
      ? [at('maxReplicas', `is ${max}, and there are ${workers} workers: torchrun leaves the others idle`)]
      : []),
    ...(standalone === true
      ? UNREAD_WHEN_ALONE.filter((field) => elasticPolicy[field] !== undefined).map((field) =>
          at(field, 'is ignored: with standalone each pod has its own rendezvous'),
        )
      : []),
    ...(fitToCapacity !== undefined && min >= workers
      ? [at('fitToCapacity', `has no effect: minReplicas is ${min}, and there are ${workers} workers`)]
      : []),
  ];
}
