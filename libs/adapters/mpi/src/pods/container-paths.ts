/** Paths in containers of MPI jobs, which users' scripts contain. */

export const CONFIG_FOLDER = '/etc/mpi';
export const KUBECTL_FOLDER = '/opt/kube';

export const HOSTFILE = 'hostfile';
export const DISCOVER_HOSTS = 'discover_hosts.sh';
export const KUBEXEC = 'kubexec.sh';

export const HOSTFILE_PATH = `${CONFIG_FOLDER}/${HOSTFILE}`;
export const KUBEXEC_PATH = `${CONFIG_FOLDER}/${KUBEXEC}`;
