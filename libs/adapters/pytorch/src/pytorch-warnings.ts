/** Warnings about valid settings that are probably mistakes. */
import { ownVariableWarnings, type Problem, type Replica } from '@muster/common-job-controller';
import type { PyTorchJob } from '@muster/job-api';
import { pytorchEnv } from './pytorch-env.ts';
import { readPyTorchJob, type PyTorchOptions } from './pytorch-options.ts';

export function pytorchWarnings(manifest: PyTorchJob): Problem[] {
  const { roles, options } = readPyTorchJob(manifest);
  const metadata = { name: '', namespace: '', uid: '', ...manifest.metadata };
  const envOf = (replica: Replica) => pytorchEnv({ metadata, roles, options }, replica);
  const own = ownVariableWarnings(roles, 'pytorchReplicaSpecs', envOf);
  const workers = roles.find(({ name }) => name === 'Worker')?.replicas;
  return [...own, ...(options.elasticPolicy === undefined ? [] : elasticWarnings(options, workers))];
}

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
