/** Job names that can also be pod names of another job: a Service of that name would be ambiguous. */
import { MPI_ROLES } from './mpi-roles.ts';
import { MX_ROLES } from './mx-roles.ts';
import { PYTORCH_ROLES } from './pytorch-roles.ts';
import { TF_ROLES } from './tf-roles.ts';

const ROLES = [...TF_ROLES, ...PYTORCH_ROLES, ...MPI_ROLES, ...MX_ROLES].map((role) => role.toLowerCase());

/** Launcher pods have no index. */
const REPLICA_LIKE = new RegExp(`.-(launcher|(${[...new Set(ROLES)].join('|')})-(0|[1-9][0-9]*))$`);

/** Whether a pod of some job, of any kind, may be called `name`: `mnist-worker-0`, `mnist-launcher`. */
export function canBePodName(name: string): boolean {
  return REPLICA_LIKE.test(name);
}
