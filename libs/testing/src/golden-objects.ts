/** `vitest -u` rewrites the golden files `<manifest>.<service mode>.objects.yaml`; review the difference. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import {
  admitted,
  problemsOf,
  SERVICE_MODES,
  type KindDefinition,
  type KubeObject,
  type ObjectMeta,
  type ServiceMode,
} from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';

interface ObjectSettings {
  readonly serviceMode: ServiceMode;
  readonly clusterDomain: string;
}

export interface ObjectsOfKind<Job extends KubeObject> {
  readonly definition: KindDefinition<Job>;
  /** The objects that the kind's operator creates for a stored job, in order. */
  readonly objectsOf: (stored: Job, settings: ObjectSettings) => KubeObject[];
}

export interface GoldenFolders {
  /** Every `.yaml` file of the folder, except golden files. */
  readonly manifests: URL;
  readonly golden: URL;
  readonly serviceModes?: readonly ServiceMode[];
}

export type Identity = Required<Pick<ObjectMeta, 'uid' | 'namespace'>>;

const IDENTITY: Identity = { uid: '11111111-2222-3333-4444-555555555555', namespace: 'team' };

export function manifestsIn(folder: URL): ReadonlyMap<string, KubeObject> {
  const files = readdirSync(folder).filter((file) => file.endsWith('.yaml') && !file.endsWith('.objects.yaml'));
  return new Map(
    files
      .sort()
      .map((file) => [file.replace(/\.yaml$/, ''), parse(readFileSync(new URL(file, folder), 'utf8')) as KubeObject]),
  );
}

/** The objects of a stored job with this identity; a job that is created suspended is resumed first. */
export function objectsFor<Job extends KubeObject>(
  { definition, objectsOf }: ObjectsOfKind<Job>,
  manifest: KubeObject,
  identity: Identity,
  serviceMode: ServiceMode,
): KubeObject[] {
  const stored = admitted(definition, isSuspended(manifest) ? resumed(manifest) : manifest);
  const job = { ...stored, metadata: { ...stored.metadata, ...identity, generation: 1 } };
  return objectsOf(job, { serviceMode, clusterDomain: 'cluster.local' });
}

interface Suspendable extends KubeObject {
  readonly spec?: { readonly suspend?: boolean; readonly runPolicy?: { readonly suspend?: boolean } };
}

export function isSuspended({ spec }: Suspendable): boolean {
  return spec?.suspend === true || spec?.runPolicy?.suspend === true;
}

function resumed({ spec, ...rest }: Suspendable): KubeObject & Suspendable {
  if (spec?.suspend === true) return { ...rest, spec: { ...spec, suspend: false } };
  return { ...rest, spec: { ...spec, runPolicy: { ...spec?.runPolicy, suspend: false } } };
}

export function describeGoldenObjects<Job extends KubeObject>(kind: ObjectsOfKind<Job>, folders: GoldenFolders): void {
  const { resource } = kind.definition;
  const { serviceModes = SERVICE_MODES } = folders;
  describe.each([...manifestsIn(folders.manifests)])(`the ${resource.kind} %s`, (name, manifest) => {
    it('has no problem', () => {
      expect(problemsOf(kind.definition, manifest)).toEqual([]);
    });

    it.each(serviceModes)('gets its objects in mode %s', async (serviceMode) => {
      const documents = objectsFor(kind, manifest, IDENTITY, serviceMode).map((object) =>
        stringify(object, { lineWidth: 0, aliasDuplicateObjects: false, compat: 'yaml-1.1' }),
      );
      const golden = new URL(`${name}.${serviceMode}.objects.yaml`, folders.golden);
      await expect(documents.join('---\n')).toMatchFileSnapshot(fileURLToPath(golden));
    });
  });
}
