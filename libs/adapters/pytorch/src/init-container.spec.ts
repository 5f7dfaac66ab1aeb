import type { Container } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { DEFAULT_INIT_CONTAINER, initContainers } from './init-container.ts';

const TRAINER: Container = { name: 'pytorch', image: 'registry.example/train:1' };

function worker(containers: Container[]) {
  return {
    name: 'Worker',
    replicas: 1,
    template: { spec: { containers } },
    restartPolicy: 'Never' as const,
    endsByItself: true,
    containerName: 'pytorch',
  };
}

describe("the init container that waits for the master's name", () => {
  it("runs the worker's own image, so that no other registry is needed", () => {
    const logs = { name: 'logs', image: 'registry.example/logs:1' };
    const [container] = initContainers(DEFAULT_INIT_CONTAINER, 'mnist-master-0', worker([logs, TRAINER]));
    expect(container).toMatchObject({
      name: 'init-pytorch',
      image: 'registry.example/train:1',
      imagePullPolicy: 'IfNotPresent',
    });
  });

  it('has the pull policy of the main container', () => {
    const imported = { ...TRAINER, image: 'train:latest', imagePullPolicy: 'Never' };
    const [container] = initContainers(DEFAULT_INIT_CONTAINER, 'mnist-master-0', worker([imported]));
    expect(container).toMatchObject({ image: 'train:latest', imagePullPolicy: 'Never' });
  });

  it("runs the operator's image if one is set", () => {
    const settings = { ...DEFAULT_INIT_CONTAINER, image: 'alpine:3.10' };
    const [container] = initContainers(settings, 'mnist-master-0', worker([{ ...TRAINER, imagePullPolicy: 'Never' }]));
    expect(container).toMatchObject({ image: 'alpine:3.10', imagePullPolicy: 'IfNotPresent' });
  });
});
