/** The format of replica indexes in a status: ascending, with ranges, for example `0,2-5`. */

export function formatIndexes(indexes: Iterable<number>): string {
  const sorted = [...new Set(indexes)].sort((a, b) => a - b);
  const runs: [first: number, last: number][] = [];
  for (const index of sorted) {
    const run = runs.at(-1);
    if (run?.[1] === index - 1) run[1] = index;
    else runs.push([index, index]);
  }
  return runs.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join(',');
}

/** Ignores invalid parts, because another program may have written the status, and indexes from `limit` on, to bound the memory. */
export function parseIndexes(text: string | undefined, limit: number): Set<number> {
  const indexes = new Set<number>();
  for (const part of (text ?? '').split(',')) {
    const [, first, last] = /^(\d+)(?:-(\d+))?$/.exec(part.trim()) ?? [];
    if (first === undefined) continue;
    for (let index = Number(first); index <= Number(last ?? first) && index < limit; index++) indexes.add(index);
  }
  return indexes;
}
