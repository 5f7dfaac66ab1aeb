import { expect, it } from 'vitest';
import { withJobVolumes } from './job-volumes.ts';

it('mounts a volume of the job in each container that has no other mount at its path', () => {
  const volumes = [{ mountPath: '/data', volumeClaimName: 'datasets' }];
  const own = { name: 'scratch', mountPath: '/data' };
  const containers = [{ name: 'main' }, { name: 'logs', volumeMounts: [own] }];
  const spec = withJobVolumes('mnist', volumes, { containers, volumes: [{ name: 'scratch', emptyDir: {} }] });
  expect(spec.containers.map(({ volumeMounts }) => volumeMounts)).toEqual([
    [{ name: 'job-volume-0', mountPath: '/data' }],
    [own],
  ]);
});
