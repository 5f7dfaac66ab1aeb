/**
 * The content of a container image: a parent and one layer on top of it. A definition is plain data, so that its content can be hashed into
 * a cache key; `buildImage` writes its files and `importImages` makes it available to a node.
 */

import type { BinaryName } from '@muster/cluster';

/** The root file system of a minimal Debian, made by debootstrap. Only an image without a parent starts with it. */
export interface DebianLayer {
  kind: 'debian';
  /** Debian release by code name. */
  suite: string;
  /** Shell commands run as root inside the new system, to finish and shrink it. */
  script: string;
}

/** Packages of the parent's Debian release installed into the parent, then Python packages, then a script. */
export interface PackagesLayer {
  kind: 'packages';
  packages: readonly string[];
  /**
   * Globs of paths (`*` matches `/` too) that dpkg leaves out; the package still counts as installed. Do not list Python modules here,
   * because their packages compile the installed files: delete them in the script.
   */
  exclude: readonly string[];
  /**
   * A requirements file for pip that lists every Python package, dependencies included, with version and hashes. pip uses this machine's
   * index and does not stay in the image. Packages are installed without byte code: the script deletes unused files, then compiles.
   */
  requirements?: string;
  /** Packages that have no wheel: pip builds them, with the setuptools of `packages`. */
  fromSource?: readonly string[];
  /** Shell commands run as root inside the image after the installation. */
  script: string;
}

/** Files added to the parent. Needs neither root nor a mount, so it suits files that change often. */
export interface FilesLayer {
  kind: 'files';
  /** By absolute path in the image: the source, a file or a folder (with its content) of this machine. */
  files: Readonly<Record<string, string>>;
  /** By absolute path in the image: one of the local cluster's programs, which is found or built as for a cluster. */
  programs?: Readonly<Record<string, BinaryName>>;
}

export type LayerDefinition = DebianLayer | PackagesLayer | FilesLayer;

/** How a container of the image starts. An unset field is inherited; `env` and `labels` are merged with the parent's. */
export interface ContainerDefaults {
  /** Metadata for registries and scanners, by the keys of the OCI image specification ("Annotations"). */
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
  /** The stable tag, which manifests use. */
  version: string;
  parent?: ImageDefinition;
  layer: LayerDefinition;
  defaults?: ContainerDefaults;
}

/**
 * The registry part of every reference. This registry does not exist: images are imported into the node's containerd, so pods need
 * `imagePullPolicy: IfNotPresent` (the default for any tag but `latest`).
 */
export const LOCAL_REGISTRY = 'muster.local';

/** The reference of this image in manifests, such as `muster.local/torch:2.6`. */
export function imageReference(image: Pick<ImageDefinition, 'name' | 'version'>): string {
  return `${LOCAL_REGISTRY}/${image.name}:${image.version}`;
}

/** The image and its ancestors, the oldest first. */
export function lineage(image: ImageDefinition): ImageDefinition[] {
  return image.parent === undefined ? [image] : [...lineage(image.parent), image];
}
