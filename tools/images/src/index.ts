/**
 * Container images without a registry and a Docker daemon: built from Debian packages and files of this repository, cached by content, and
 * imported directly into a node's containerd. Linux only; building a new base or installing packages needs root, importing needs access to
 * containerd's socket. See docs/administrators/images.md.
 */
export { buildImage, type BuildOptions, type BuiltImage } from './build-image.ts';
export { buildOperatorArchive, type OperatorArchive } from './build-operator-archive.ts';
export { operatorImage, type OperatorBundle } from './definitions/operator.ts';
export {
  imageReference,
  type ContainerDefaults,
  type ImageDefinition,
  type LayerDefinition,
} from './image-definition.ts';
export { IMAGES, type ImageName } from './images.ts';
export { importImages, type ImportOptions } from './import-images.ts';
export { imageCacheFolder, LayerStore } from './layer-store.ts';
export { checkedRegistry } from './operator-file-steps.ts';
export { ownPlatform } from './own-platform.ts';
export { sizeText } from './size-text.ts';
