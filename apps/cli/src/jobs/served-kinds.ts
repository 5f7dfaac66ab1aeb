/** The kinds of jobs that a cluster serves, with CRDs of any origin. */
import type { JobManifest } from '@muster/common-job-controller';
import { versionsOf, type Resource } from '@muster/job-api';
import { isKubeError, type KubeClient } from '@muster/kube';
import { KINDS, type Kind } from '../kinds.ts';

export interface ServedKind {
  readonly kind: Kind;
  /** In the operator's version if the cluster serves it, or else in another supported one. */
  readonly resource: Resource<JobManifest>;
}

/** In the order of `KINDS`. Throws if the cluster does not answer. */
export async function servedKinds(client: Pick<KubeClient, 'raw'>): Promise<ServedKind[]> {
  const requests = new Map<string, Promise<ReadonlySet<string>>>();
  const pluralsOf = (groupVersion: string) => {
    const plurals = requests.get(groupVersion) ?? readPlurals(client, groupVersion);
    requests.set(groupVersion, plurals);
    return plurals;
  };
  const found = await Promise.all(
    KINDS.map(async (kind): Promise<ServedKind | undefined> => {
      const { resource } = kind.definition;
      const others = versionsOf(kind.definition).map(({ name }) => name);
      for (const version of new Set([resource.version, ...others])) {
        const plurals = await pluralsOf(`${resource.group}/${version}`);
        if (plurals.has(resource.plural)) return { kind, resource: { ...resource, version } };
      }
      return undefined;
    }),
  );
  return found.filter((each) => each !== undefined);
}

async function readPlurals(client: Pick<KubeClient, 'raw'>, groupVersion: string): Promise<ReadonlySet<string>> {
  try {
    const { resources = [] } = await client.raw<{ resources?: { name: string }[] }>(`/apis/${groupVersion}`);
    return new Set(resources.map(({ name }) => name));
  } catch (error) {
    if (isKubeError(error, 'NotFound')) return new Set();
    throw error;
  }
}
