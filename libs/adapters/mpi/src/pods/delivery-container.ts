/**
 * The init container that gives the launcher its kubectl, and holds it back until the workers in the hostfile can be
 * entered (kubeflow/training-operator: newLauncher).
 */
import type { Container } from '@muster/job-api';
import { HOSTFILE, KUBECTL_FOLDER } from './container-paths.ts';
import type { MPIModel } from '../generations/mpi-model.ts';
import { configVolume, kubectlVolume } from './volumes.ts';

const RESOURCES = { cpu: '100m', memory: '512Mi', 'ephemeral-storage': '5Gi' };

/** `trainer` is the launcher's main container. */
export function deliveryContainer(model: MPIModel, image: string, trainer?: Container): Container {
  const { generation, mainContainer, namespace } = model;
  return {
    name: 'kubectl-delivery',
    image,
    imagePullPolicy: 'IfNotPresent',
    env: [
      { name: 'TARGET_DIR', value: KUBECTL_FOLDER },
      { name: 'NAMESPACE', value: namespace },
      ...(mainContainer === undefined ? [] : [{ name: 'MAIN_CONTAINER', value: mainContainer }]),
    ],
    // Of the configuration only the mount counts here: the volume is the pod's.
    volumeMounts: [kubectlVolume(model).mount, configVolume(model, [HOSTFILE]).mount],
    ...(generation === 'v1' && { resources: { limits: { ...RESOURCES }, requests: { ...RESOURCES } } }),
    // A namespace that restricts pods has made the user write this; the same rules apply to this container.
    ...(trainer?.securityContext && { securityContext: trainer.securityContext }),
  };
}
