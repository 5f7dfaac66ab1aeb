/** The jobs that are measured: their pods start at once on simulated nodes, and end well after a while. */
import { SIMULATE_AFTER_ANNOTATION, SIMULATE_LABEL } from '@muster/cluster';
import type { PyTorchJob } from '@muster/job-api';

/** Longer than it takes until all run, also on a slow machine. */
const TRAINING_SECONDS = 15;

export const CONTAINER = { name: 'pytorch', image: 'registry.example/train:1', command: ['torchrun', 'train.py'] };
export const TRAINS_AND_SUCCEEDS = {
  labels: { [SIMULATE_LABEL]: 'succeed' },
  annotations: { [SIMULATE_AFTER_ANNOTATION]: `${TRAINING_SECONDS}s` },
};

export function trainingJob(namespace: string, name: string, replicas: number): PyTorchJob {
  const template = { metadata: TRAINS_AND_SUCCEEDS, spec: { containers: [CONTAINER] } };
  return {
    apiVersion: 'kubeflow.org/v1',
    kind: 'PyTorchJob',
    metadata: { name, namespace },
    spec: { runPolicy: { suspend: false }, pytorchReplicaSpecs: { Worker: { replicas, template } } },
  };
}
