/** A program that behaves differently in its first run, also on another cluster: a volume records the run. */
import { PERSISTENT_VOLUME_CLAIMS, RAY_JOBS, type RayCluster, type RayJob } from '@muster/job-api';
import type { RayFixture } from './ray-fixture.ts';

const VOLUME = 'tries';
const MOUNT_PATH = '/tries';

export interface Tries {
  /** A shell command for the first run, instead of the program. */
  readonly first: string;
  readonly later: string;
}

/**
 * Creates the RayJob of that example with such a program, on a cluster with only a head. Its pods have no grace period, so the next
 * attempt does not wait for them.
 */
export async function createWithFirstTry(
  fixture: RayFixture,
  example: string,
  { first, later }: Tries,
  changes: Partial<RayJob['spec']>,
): Promise<string> {
  const { metadata, spec, ...job } = await fixture.example<RayJob>(example);
  const { namespace } = fixture;
  const name = `${metadata.name}-twice`;
  await fixture.client.create(PERSISTENT_VOLUME_CLAIMS, {
    metadata: { name, namespace },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Mi' } } },
  });
  const entrypoint = `if mkdir ${MOUNT_PATH}/first; then ${first}; exit 1; fi; ${later}`;
  const rayClusterSpec = headWith(spec.rayClusterSpec!, name);
  await fixture.client.create(RAY_JOBS, {
    ...job,
    metadata: { name, namespace },
    spec: { ...spec, entrypoint, rayClusterSpec, ...changes },
  });
  return name;
}

/** The head of the cluster, with the volume. */
function headWith(cluster: RayCluster['spec'], claimName: string): RayCluster['spec'] {
  const { template, ...head } = cluster.headGroupSpec;
  const [ray, ...others] = template.spec!.containers;
  const spec = {
    ...template.spec,
    securityContext: { ...template.spec!.securityContext, fsGroup: 1000 },
    terminationGracePeriodSeconds: 1,
    containers: [{ ...ray!, volumeMounts: [{ name: VOLUME, mountPath: MOUNT_PATH }] }, ...others],
    volumes: [{ name: VOLUME, persistentVolumeClaim: { claimName } }],
  };
  return { ...cluster, headGroupSpec: { ...head, template: { ...template, spec } }, workerGroupSpecs: [] };
}
