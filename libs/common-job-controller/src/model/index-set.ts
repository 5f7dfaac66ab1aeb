/** Sets of replica indexes as they stand in a status: ascending, runs drawn together, `0,2-5`. */

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

/**
 * What is no index or run of indexes is left out: a status may have been written by others. So is what lies at or above
 * `limit`, which keeps a wrong run from taking all memory.
 */
export function parseIndexes(text: string | undefined, limit: number): Set<number> {
  const indexes = new Set<number>();
  for (const part of (text ?? '').split(',')) {
    const [, first, last] = /^(\d+)(?:-(\d+))?$/.exec(part.trim()) ?? [];
    if (first === undefined) continue;
    for (let index = Number(first); index <= Number(last ?? first) && index < limit; index++) indexes.add(index);
  }
  return indexes;
}
