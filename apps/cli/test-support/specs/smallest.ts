import { changed, isObject, partAt, pathsOf, type Json, type JsonObject, type Path } from './json.ts';

const MOST_TRIES = 400;

/**
 * `manifest` after its parts were removed or simplified, one by one and the largest first, while `isFailing` holds. At most
 * {@link MOST_TRIES} smaller manifests are tried. The name and the namespace stay.
 */
export function smallest(manifest: JsonObject, isFailing: (smaller: JsonObject) => boolean): JsonObject {
  let best = manifest;
  let tries = 0;
  const isSmaller = (candidate: Json | undefined) => {
    if (tries >= MOST_TRIES || !isObject(candidate) || !isNamed(candidate)) return false;
    tries++;
    if (!isFailing(candidate)) return false;
    best = candidate;
    return true;
  };
  for (let at = 0; at < pathsOf(best).length;) {
    const path = pathsOf(best)[at] ?? [];
    // The next part has the same place in the list after a removal.
    if (path.length < 2 || !isSmaller(changed(best, path, () => undefined))) at++;
  }
  for (const path of pathsOf(best)) {
    if (path.length < 2) continue;
    simplerThan(partAt(best, path), path).some((simpler) => isSmaller(changed(best, path, () => simpler)));
  }
  return best;
}

function isNamed({ metadata }: JsonObject): boolean {
  if (!isObject(metadata ?? null)) return false;
  const { name, namespace } = metadata as JsonObject;
  return typeof name === 'string' && typeof namespace === 'string';
}

function simplerThan(part: Json | undefined, path: Path): Json[] {
  if (path[0] === 'metadata') return [];
  if (typeof part === 'string' && part.length > 8) return [part.slice(0, Math.ceil(part.length / 2))];
  if (typeof part === 'number' && part > 1) return [1, Math.floor(part / 2)];
  return [];
}
