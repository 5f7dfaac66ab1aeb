/** The commands that publish a release, which can also be run by hand. */
import type { Artifacts } from './make-artifacts.ts';

export type Command = readonly [program: string, ...args: string[]];

/**
 * Pushes each operator's image under one name for all processors, and each chart. Signatures and lists of contents belong on the release's
 * page.
 *
 * @param registry host and path of images' names, such as `registry.example.com/muster`
 */
export function pushCommands({ images, charts }: Pick<Artifacts, 'images' | 'charts'>, registry: string): Command[] {
  const references = [...new Set(images.map(({ reference }) => reference))];
  const ofImages = references.flatMap((name): Command[] => {
    const files = images.filter((image) => image.reference === name).map(({ file }) => file);
    return [
      ['buildah', 'manifest', 'create', name],
      ...files.map((file): Command => ['buildah', 'manifest', 'add', name, `oci-archive:${file}`]),
      ['buildah', 'manifest', 'push', '--all', name, `docker://${name}`],
    ];
  });
  return [...ofImages, ...charts.map((file): Command => ['helm', 'push', file, `oci://${registry}/charts`])];
}
