import { describe, expect, it } from 'vitest';

import { checkedRegistry, operatorFileSteps } from './operator-file-steps.ts';

const file = { framework: 'mpi', version: '1.2.3', path: 'dist/images/mpi-operator-1.2.3.tar' };

describe("the commands for an operator's image file", () => {
  it('install the image that a node knows after ctr import, by the name in the file', () => {
    const steps = operatorFileSteps(file);
    expect(steps).toContain('ctr --namespace k8s.io images import dist/images/mpi-operator-1.2.3.tar\n');
    expect(steps).toContain('--set image.repository=muster.local/mpi-operator\n');
    expect(steps).toContain('docker://registry.example/mpi-operator:1.2.3\n');
  });

  it('import into a node of a local cluster by its own socket', () => {
    const socket = '/cache/clusters/muster/containerd.sock';
    expect(operatorFileSteps({ ...file, sockets: [socket] })).toContain(
      `\n  sudo ctr --address ${socket} --namespace k8s.io images import ${file.path}\nThen:\n  helm install mpi charts/mpi `,
    );
    expect(operatorFileSteps(file)).not.toContain('--address');
  });

  it('push to the given registry, and install from there', () => {
    expect(operatorFileSteps({ ...file, registry: 'registry.example:5000/team' })).toBe(`To push and install it:
  skopeo copy oci-archive:dist/images/mpi-operator-1.2.3.tar docker://registry.example:5000/team/mpi-operator:1.2.3
  helm install mpi charts/mpi --namespace muster --create-namespace --wait \\
    --set image.repository=registry.example:5000/team/mpi-operator`);
  });
});

describe('a registry', () => {
  it.each(['registry.example', 'registry.example:5000', 'localhost:5000/a', 'registry:5000', 'ghcr.io/some-org/a_b'])(
    '%s is valid in front of a name',
    (registry) => {
      expect(checkedRegistry(registry)).toBe(registry);
    },
  );

  it.each(['https://registry.example', 'registry.example/', 'Registry.example', '', 'registry.example/a:1', 'a b'])(
    '%j is rejected',
    (registry) => {
      expect(() => checkedRegistry(registry)).toThrow('expected host[:port][/path] in lower case');
    },
  );

  it('that is an account of Docker Hub is rejected with a hint to its full name, since nodes look for it there', () => {
    expect(() => checkedRegistry('team')).toThrow('on Docker Hub it is docker.io/team');
  });
});
