/** Where containers of MPI jobs find their files: users' scripts name these paths. */

/** The mounted ConfigMap. */
export const CONFIG_FOLDER = '/etc/mpi';
/** The mounted kubectl. */
export const KUBECTL_FOLDER = '/opt/kube';

export const HOSTFILE = 'hostfile';
/** Prints the hosts that run now, for elastic Horovod. */
export const DISCOVER_HOSTS = 'discover_hosts.sh';
/** Stands in for ssh where pods are entered by `kubectl exec`. */
export const KUBEXEC = 'kubexec.sh';

export const HOSTFILE_PATH = `${CONFIG_FOLDER}/${HOSTFILE}`;
export const KUBEXEC_PATH = `${CONFIG_FOLDER}/${KUBEXEC}`;
