import { expect, it } from 'vitest';
import { pushCommands } from './push-commands.ts';

it('an image is pushed under one name for all processors, with the charts beside it', () => {
  const images = ['amd64', 'arm64'].map((processor) => ({
    reference: 'registry.example/muster/mpi-operator:1.2.3',
    platform: `linux/${processor}`,
    nodeVersion: '24.0.1',
    file: `images/${processor}.tar`,
    bytes: 1,
  }));
  const commands = pushCommands({ images, charts: ['charts/mpi-1.2.3.tgz'] }, 'registry.example/muster');
  expect(commands.map((command) => command.join(' '))).toEqual([
    'buildah manifest create registry.example/muster/mpi-operator:1.2.3',
    'buildah manifest add registry.example/muster/mpi-operator:1.2.3 oci-archive:images/amd64.tar',
    'buildah manifest add registry.example/muster/mpi-operator:1.2.3 oci-archive:images/arm64.tar',
    'buildah manifest push --all registry.example/muster/mpi-operator:1.2.3 docker://registry.example/muster/mpi-operator:1.2.3',
    'helm push charts/mpi-1.2.3.tgz oci://registry.example/muster/charts',
  ]);
});
