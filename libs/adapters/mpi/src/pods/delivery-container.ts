/** Copies kubectl, and waits until the workers accept `kubectl exec` (kubeflow/training-operator: newLauncher). */
import type { Container } from '@muster/job-api';
import { HOSTFILE, KUBECTL_FOLDER } from './container-paths.ts';
import type { MPIModel } from '../generations/mpi-model.ts';
import { configVolume, kubectlVolume } from './volumes.ts';

const RESOURCES = { cpu: '100m', memory: '512Mi', 'ephemeral-storage': '5Gi' };

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
    // Only the mount is used here: the volume is the pod's.
    volumeMounts: [kubectlVolume(model).mount, configVolume(model, [HOSTFILE]).mount],
    ...(generation === 'v1' && { resources: { limits: { ...RESOURCES }, requests: { ...RESOURCES } } }),
    // Namespaces with Pod Security admission require it of every container.
    ...(trainer?.securityContext && { securityContext: trainer.securityContext }),
  };
}
