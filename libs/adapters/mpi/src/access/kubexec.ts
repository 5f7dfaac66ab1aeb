/** Replaces ssh by `kubectl exec`. `mpirun` calls it with the host and the command, quoted for a remote shell. */
import { KUBECTL_FOLDER } from '../pods/container-paths.ts';
import type { MPIModel } from '../generations/mpi-model.ts';

/**
 * Like sshd, it joins the arguments with spaces and passes them to the pod's shell. Separate arguments would keep the
 * quotes of `mpirun`, and its `export …; orted …` would be one unknown program. It traces its commands, as upstream's
 * script does, because users look for them in the launcher's log.
 *
 * It replaces itself with kubectl, so that a signal of `mpirun` ends kubectl. Upstream's starts kubectl as a child and
 * does not quote the pod's name (kubeflow/training-operator: newConfigMap). The container's name is a DNS label and
 * needs no quotes.
 */
export function kubexecScript({ mainContainer }: Pick<MPIModel, 'mainContainer'>): string {
  const container = mainContainer === undefined ? '' : ` --container ${mainContainer}`;
  return [
    '#!/bin/sh',
    'set -x',
    'POD_NAME=$1',
    'shift',
    `exec ${KUBECTL_FOLDER}/kubectl exec "$POD_NAME"${container} -- /bin/sh -c "$*"`,
    '',
  ].join('\n');
}
