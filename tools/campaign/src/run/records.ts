/** The recorded reconcile runs of the jobs that violate an invariant. */
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Violation } from '../invariants/invariant.ts';

/**
 * Writes the records of each job to a file of its own, in the order of the files. Returns a line for each, with the command that plans them
 * again. @param folder of the run
 */
export function recordsOf(folder: string, violations: readonly Violation[]): string[] {
  const uids = new Map(violations.flatMap(({ uid, about }) => (uid === undefined ? [] : [[uid, about]])));
  const lines = globSync('runs/*/*.jsonl', { cwd: folder }).flatMap((file) =>
    readFileSync(join(folder, file), 'utf8').split('\n'),
  );
  return [...uids].map(([uid, about]) => {
    const own = lines.filter((line) => line.includes(uid));
    const file = join(folder, `${uid}.jsonl`);
    writeFileSync(file, own.join('\n'));
    return `${about}: its changes are in ${join(folder, `${uid}.timeline.txt`)}, and ${own.length} recorded reconcile runs in ${file} (npx muster replay)`;
  });
}
