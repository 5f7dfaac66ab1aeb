/**
 * What a container image is made of: a parent and one layer on top of it. A definition is plain data, so that its
 * content can be hashed into a cache key; `buildImage` turns it into files and `importImages` into a runnable image.
 */

import type { BinaryName } from '@muster/cluster';

/** The root file system of an empty Debian, made by debootstrap. Only an image without a parent starts with it. */
export interface DebianLayer {
  kind: 'debian';
  /** Debian release by code name. */
  suite: string;
  /** Shell commands run as root inside the new system, to finish and to slim it. */
  script: string;
}

/** Packages of the parent's Debian release installed into the parent, then Python packages, then a script. */
export interface PackagesLayer {
  kind: 'packages';
  packages: readonly string[];
  /**
   * Globs of paths (`*` matches `/` too) that dpkg leaves out; the package still counts as installed. Python modules
   * cannot be left out this way, as their packages compile what they brought: delete them in the script.
   */
  exclude: readonly string[];
  /**
   * A requirements file for pip that names every Python package, those that others need included, with version and
   * hashes. pip looks where it does on this machine and does not stay in the image. Packages arrive without byte code:
   * the script deletes what nobody needs, then compiles.
   */
  requirements?: string;
  /** Those of them that have no wheel: pip builds them, by the setuptools that `packages` bring. */
  fromSource?: readonly string[];
  /** Shell commands run as root inside the image after the installation. */
  script: string;
}

/** Files laid over the parent. Needs neither root nor a mount, so it suits what changes often. */
export interface FilesLayer {
  kind: 'files';
  /** Absolute path in the image to where it comes from: a file or a folder (with all it holds) of this machine. */
  files: Readonly<Record<string, string>>;
  /** Absolute path in the image to one of the cluster's programs, which is found or built as for a cluster. */
  programs?: Readonly<Record<string, BinaryName>>;
}

export type LayerDefinition = DebianLayer | PackagesLayer | FilesLayer;

/** How a container of the image starts; each field unset is the parent's. `env` and `labels` are merged with the parent's. */
export interface ContainerDefaults {
  /** What registries and scanners show of the image, by the keys of the OCI image specification ("Annotations"). */
  labels?: Readonly<Record<string, string>>;
  env?: Readonly<Record<string, string>>;
  entrypoint?: readonly string[];
  command?: readonly string[];
  workingDir?: string;
  /** `uid` or `uid:gid`. */
  user?: string;
}

export interface ImageDefinition {
  /** Repository without the registry part: lower-case letters, digits and dashes. */
  name: string;
  /** The stable tag, by which manifests name the image. */
  version: string;
  parent?: ImageDefinition;
  layer: LayerDefinition;
  defaults?: ContainerDefaults;
}

/**
 * The registry part of every reference. No such registry exists: images are imported into the node's containerd, so
 * pods need `imagePullPolicy: IfNotPresent` (the default for any tag but `latest`).
 */
export const LOCAL_REGISTRY = 'muster.local';

/** The reference by which manifests name this image, such as `muster.local/torch:2.6`. */
export function imageReference(image: Pick<ImageDefinition, 'name' | 'version'>): string {
  return `${LOCAL_REGISTRY}/${image.name}:${image.version}`;
}

/** The image and its ancestors, the oldest first. */
export function lineage(image: ImageDefinition): ImageDefinition[] {
  return image.parent === undefined ? [image] : [...lineage(image.parent), image];
}
