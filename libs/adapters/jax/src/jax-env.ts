/**
 * The environment of JAX pods, in the order of Kubeflow's operator (kubeflow/training-operator, pkg/controller.v1/jax/envvar.go), whose
 * programs pass the values to `jax.distributed.initialize`. JAX itself reads only `JAX_COORDINATOR_ADDRESS` (tested: 0.10). The other
 * `JAX_` names are those of Kubeflow's Trainer.
 */
import { portOf, type Replica, type TrainingJob } from '@muster/common-job-controller';
import { replicaName, type EnvVar } from '@muster/job-api';
import { JAX_MAIN } from './jax-main.ts';

type Job = Pick<TrainingJob, 'metadata' | 'roles'>;

/** The replica that others connect to: worker 0, in which JAX starts its coordinator. */
export function leader({ roles }: Pick<Job, 'roles'>): Replica | undefined {
  const role = roles.find(({ replicas }) => replicas > 0);
  return role && { role, index: 0 };
}

export function jaxEnv({ metadata, roles }: Job, { role, index }: Replica): EnvVar[] {
  const address = replicaName(metadata.name, role.name, 0);
  const port = portOf(role, JAX_MAIN);
  const size = String(roles.reduce((sum, { replicas }) => sum + replicas, 0));
  return [
    { name: 'PYTHONUNBUFFERED', value: '1' },
    { name: 'COORDINATOR_PORT', value: String(port) },
    { name: 'COORDINATOR_ADDRESS', value: address },
    { name: 'NUM_PROCESSES', value: size },
    { name: 'PROCESS_ID', value: String(index) },
    { name: 'JAX_COORDINATOR_ADDRESS', value: `${address}:${port}` },
    { name: 'JAX_NUM_PROCESSES', value: size },
    { name: 'JAX_PROCESS_ID', value: String(index) },
  ];
}
