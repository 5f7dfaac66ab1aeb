/** Names of jobs that are names of other jobs' pods as well: a Service of such a name leads to the one or the other. */
import { MPI_ROLES } from './mpi-roles.ts';
import { MX_ROLES } from './mx-roles.ts';
import { PYTORCH_ROLES } from './pytorch-roles.ts';
import { TF_ROLES } from './tf-roles.ts';

const ROLES = [...TF_ROLES, ...PYTORCH_ROLES, ...MPI_ROLES, ...MX_ROLES].map((role) => role.toLowerCase());

/** A launcher's pod has no number. */
const REPLICA_LIKE = new RegExp(`.-(launcher|(${[...new Set(ROLES)].join('|')})-(0|[1-9][0-9]*))$`);

/** Whether a pod of some job, of whatever kind, may be called `name`: `mnist-worker-0`, `mnist-launcher`. */
export function isReplicaLike(name: string): boolean {
  return REPLICA_LIKE.test(name);
}
