/** Shortens a schedule of faults that fails: by halves, quarters and so on, as long as what is left still fails (delta debugging). */

/**
 * Returns a shortest list found of which `fails` is true. It is called with parts of `items` only, never with the same part twice, and at
 * most `limit` times.
 */
export async function shrink<T>(
  items: readonly T[],
  fails: (part: readonly T[]) => Promise<boolean>,
  limit = Infinity,
): Promise<readonly T[]> {
  let left = items;
  let tries = 0;
  const tried = new Set<string>();
  const stillFails = async (part: readonly T[]): Promise<boolean> => {
    const key = JSON.stringify(part);
    if (tried.has(key) || tries >= limit) return false;
    tried.add(key);
    tries++;
    return fails(part);
  };
  if (items.length > 0 && (await stillFails([]))) return [];
  for (let parts = 2; left.length > 1 && tries < limit;) {
    const shorter = await firstThatFails(without(left, Math.min(parts, left.length)), stillFails);
    if (shorter !== undefined) {
      left = shorter;
      parts = Math.max(2, parts - 1);
    } else if (parts >= left.length) break;
    else parts *= 2;
  }
  return left;
}

async function firstThatFails<T>(
  candidates: readonly (readonly T[])[],
  fails: (part: readonly T[]) => Promise<boolean>,
): Promise<readonly T[] | undefined> {
  for (const candidate of candidates) if (await fails(candidate)) return candidate;
  return undefined;
}

/** The list without each of its `parts` parts. */
function without<T>(items: readonly T[], parts: number): T[][] {
  const size = Math.ceil(items.length / parts);
  return Array.from({ length: Math.ceil(items.length / size) }, (_part, index) => [
    ...items.slice(0, index * size),
    ...items.slice((index + 1) * size),
  ]);
}
