/** The documents of the OCI image specification 1.0 that describe an image of layers. */
import { createHash } from 'node:crypto';
import { arch } from 'node:os';

import { imageReference, lineage, type ContainerDefaults, type ImageDefinition } from './image-definition.ts';
import type { StoredLayer } from './layer-store.ts';

/** A document with its descriptor, by which other documents refer to it. */
export interface Blob {
  mediaType: string;
  digest: string;
  size: number;
  content: string;
}

/** An image that can be imported. Equal definitions and layers give an equal manifest digest, on any day. */
export interface OciImage {
  config: Blob;
  manifest: Blob;
  /** The lowest first. */
  layers: readonly StoredLayer[];
  /** The stable reference first, then one with a tag derived from the content, which never changes. */
  references: readonly [string, string];
}

const MEDIA_TYPE = {
  config: 'application/vnd.oci.image.config.v1+json',
  manifest: 'application/vnd.oci.image.manifest.v1+json',
  layer: 'application/vnd.oci.image.layer.v1.tar+zstd',
} as const;

/** The specification uses Go's names of processors, which differ from Node.js' here. */
const ARCHITECTURE: Readonly<Record<string, string>> = { x64: 'amd64', ia32: '386' };

export function ociImage(image: ImageDefinition, layers: readonly StoredLayer[]): OciImage {
  const config = blob(MEDIA_TYPE.config, {
    architecture: ARCHITECTURE[arch()] ?? arch(),
    os: 'linux',
    config: containerConfig(mergedDefaults(image)),
    rootfs: { type: 'layers', diff_ids: layers.map((layer) => layer.diffId) },
  });
  const manifest = blob(MEDIA_TYPE.manifest, {
    schemaVersion: 2,
    mediaType: MEDIA_TYPE.manifest,
    config: descriptor(config),
    layers: layers.map(({ digest, size }) => ({ mediaType: MEDIA_TYPE.layer, digest, size })),
  });
  const contentTag = manifest.digest.replace('sha256:', '').slice(0, 12);
  const stable = imageReference(image);
  return { config, manifest, layers, references: [stable, `${stable}-${contentTag}`] };
}

/** The index of an OCI image layout that holds `images` under all their references. */
export function ociIndex(images: readonly OciImage[]): string {
  const manifests = images.flatMap((image) =>
    image.references.map((reference) => ({
      ...descriptor(image.manifest),
      annotations: { 'io.containerd.image.name': reference, 'org.opencontainers.image.ref.name': reference },
    })),
  );
  return JSON.stringify({ schemaVersion: 2, mediaType: 'application/vnd.oci.image.index.v1+json', manifests });
}

/** The defaults of the lineage: a child's values take precedence, variables are merged. */
function mergedDefaults(image: ImageDefinition): ContainerDefaults {
  return lineage(image).reduce<ContainerDefaults>(
    (merged, { defaults }) => ({
      ...merged,
      ...defaults,
      env: { ...merged.env, ...defaults?.env },
      labels: { ...merged.labels, ...defaults?.labels },
    }),
    {},
  );
}

function containerConfig(defaults: ContainerDefaults): Record<string, unknown> {
  return {
    Env: Object.entries(defaults.env ?? {}).map(([name, value]) => `${name}=${value}`),
    ...(defaults.entrypoint === undefined ? {} : { Entrypoint: defaults.entrypoint }),
    ...(defaults.command === undefined ? {} : { Cmd: defaults.command }),
    ...(defaults.workingDir === undefined ? {} : { WorkingDir: defaults.workingDir }),
    ...(defaults.user === undefined ? {} : { User: defaults.user }),
    ...(Object.keys(defaults.labels ?? {}).length === 0 ? {} : { Labels: defaults.labels }),
  };
}

function blob(mediaType: string, document: unknown): Blob {
  const content = JSON.stringify(document);
  const digest = `sha256:${createHash('sha256').update(content).digest('hex')}`;
  return { mediaType, digest, size: Buffer.byteLength(content), content };
}

function descriptor({ mediaType, digest, size }: Blob): Pick<Blob, 'mediaType' | 'digest' | 'size'> {
  return { mediaType, digest, size };
}
