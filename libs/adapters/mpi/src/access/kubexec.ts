/**
 * The script that takes the place of ssh where pods are entered by `kubectl exec`. `mpirun` calls it as it calls ssh, with
 * the host and then the command, of which it has quoted for a remote shell what needs it.
 */
import { KUBECTL_FOLDER } from '../pods/container-paths.ts';
import type { MPIModel } from '../generations/mpi-model.ts';

/**
 * Joins the command's words with spaces and has the pod's shell read them, just as sshd does: each word as its own argument
 * would leave `mpirun`'s quotes in place, and its `export …; orted …` would be one unknown program. It traces what it runs,
 * as upstream's does, which users look for in the launcher's log.
 *
 * Upstream's starts kubectl as a child and leaves the pod's name unquoted (kubeflow/training-operator: newConfigMap); this
 * one becomes kubectl, so that a signal of `mpirun` ends kubectl and not the shell in front of it. The container's name is
 * a DNS label and needs no quotes.
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
