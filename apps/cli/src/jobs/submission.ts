/** Manifests on their way into a cluster: where each goes, what is wrong with it, and that all go or none. */
import { annotationProblems, type KubeObject, type Resource } from '@muster/job-api';
import { isKubeError, type KubeClient } from '@muster/kube';
import { CommandError } from '../exit-codes.ts';
import { kindOf } from '../kinds.ts';
import { unreadParts } from '../planned-objects.ts';
import { refusalOf } from './refusal.ts';

/** One object to be made, and where. */
export interface Submission {
  readonly resource: Resource;
  readonly manifest: KubeObject;
}

export type Validation = 'strict' | 'warn' | 'ignore';

/** In namespace `namespace` what names none. Throws where the cluster does not serve a kind. */
export async function submissions(
  client: KubeClient,
  manifests: readonly KubeObject[],
  namespace: string,
): Promise<Submission[]> {
  return Promise.all(
    manifests.map(async (manifest) => {
      const resource = await resourceOf(client, manifest);
      const where = resource.namespaced ? { namespace } : {};
      return { resource, manifest: { ...manifest, metadata: { ...where, ...manifest.metadata } } };
    }),
  );
}

async function resourceOf(client: KubeClient, { apiVersion = '', kind = '' }: KubeObject): Promise<Resource> {
  const [first = '', second] = apiVersion.split('/');
  const [group, version] = second === undefined ? ['', first] : [first, second];
  try {
    const path = group === '' ? `/api/${version}` : `/apis/${apiVersion}`;
    const { resources = [] } = await client.raw<{ resources?: ServedResource[] }>(path);
    const found = resources.find((resource) => resource.kind === kind && !resource.name.includes('/'));
    if (found !== undefined) return { group, version, kind, plural: found.name, namespaced: found.namespaced };
  } catch (error) {
    if (!isKubeError(error, 'NotFound')) throw error;
  }
  const known = kindOf({ apiVersion, kind })?.adapter({ clusterDomain: 'cluster.local' });
  const hint = known === undefined ? 'check apiVersion and kind' : `install it: ${known.installHint}`;
  throw new CommandError(
    'error',
    `This cluster serves no ${kind || 'kind'} of ${apiVersion || 'no apiVersion'}; ${hint}.`,
  );
}

interface ServedResource {
  readonly name: string;
  readonly kind: string;
  readonly namespaced: boolean;
}

/** What no API server can see: annotations that say nothing, and fields that nobody reads. One line each, with the path. */
export function clientSideProblems(
  manifest: KubeObject,
  validation: Validation,
): { errors: string[]; warnings: string[] } {
  const errors = annotationProblems(manifest).map(({ path, message }) => `${path}: ${message}`);
  const unread = validation === 'ignore' ? [] : unreadParts(manifest);
  return validation === 'strict' ? { errors: [...errors, ...unread], warnings: [] } : { errors, warnings: unread };
}

/** Makes them in their order. Unless `dryRun`, all of several are tried dry first, so that none is made where one is refused. */
export async function sendAll(
  client: KubeClient,
  all: readonly Submission[],
  { dryRun }: { dryRun: boolean },
): Promise<KubeObject[]> {
  const made: KubeObject[] = [];
  // What stands in a namespace that is not there yet cannot be tried.
  const canTry = all.length > 1 && !all.some(({ resource }) => resource.kind === 'Namespace');
  if (!dryRun && canTry) await sendAll(client, all, { dryRun: true });
  for (const { resource, manifest } of all) {
    try {
      made.push(
        await client.create(resource, withExactIntegers(manifest) as KubeObject, {
          dryRun,
          fieldValidation: 'Strict',
          fieldManager: 'muster',
        }),
      );
    } catch (error) {
      throw refusalOf(`${manifest.kind} ${manifest.metadata?.name ?? manifest.metadata?.generateName}`, error);
    }
  }
  return made;
}

/** Node 24 has `JSON.rawJSON`; TypeScript has no type for it yet. */
const { rawJSON } = JSON as unknown as { rawJSON: (this: void, text: string) => object };

/** Bigints as numbers with all of their digits in JSON. */
export function withExactIntegers(value: unknown): unknown {
  if (typeof value === 'bigint') return rawJSON(String(value));
  if (Array.isArray(value)) return value.map(withExactIntegers);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, withExactIntegers(each)]));
}
