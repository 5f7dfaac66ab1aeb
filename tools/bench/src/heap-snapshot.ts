/** What a Node process holds on its heap, from snapshots that it writes on SIGUSR2. They contain no garbage. */
import type { ChildProcess } from 'node:child_process';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** Node's flags for this; snapshots are written to `folder`. */
export function heapSnapshotFlags(folder: string): readonly string[] {
  return ['--heapsnapshot-signal=SIGUSR2', `--diagnostic-dir=${folder}`];
}

const LIMIT_MS = 120_000;
const ASK_EVERY_MS = 250;

/** Bytes by constructor for objects, by type for other values. */
export type HeapSizes = Readonly<Record<string, number>>;

/** The process is blocked while it writes. The file is removed. */
export async function heapSizes(child: ChildProcess, folder: string): Promise<HeapSizes> {
  child.kill('SIGUSR2');
  const limitMs = performance.now() + LIMIT_MS;
  for (;;) {
    const [name] = (await readdir(folder)).filter((each) => each.endsWith('.heapsnapshot'));
    const snapshot = name === undefined ? undefined : complete(await readFile(join(folder, name), 'utf8'));
    if (name !== undefined && snapshot !== undefined) {
      await rm(join(folder, name));
      return sizesIn(snapshot);
    }
    if (performance.now() > limitMs) throw new Error(`no heap snapshot in ${folder} after ${LIMIT_MS} ms`);
    await sleep(ASK_EVERY_MS);
  }
}

export interface Snapshot {
  readonly snapshot: {
    readonly meta: { readonly node_fields: string[]; readonly node_types: [string[], ...unknown[]] };
  };
  readonly nodes: readonly number[];
  readonly strings: readonly string[];
}

/** Undefined while the file is being written. */
function complete(text: string): Snapshot | undefined {
  try {
    return JSON.parse(text) as Snapshot;
  } catch {
    return undefined;
  }
}

export function sizesIn({ snapshot: { meta }, nodes, strings }: Snapshot): HeapSizes {
  const width = meta.node_fields.length;
  const [typeAt, nameAt, sizeAt] = ['type', 'name', 'self_size'].map((field) => meta.node_fields.indexOf(field));
  const sizes = new Map<string, number>();
  for (let at = 0; at < nodes.length; at += width) {
    const type = meta.node_types[0][nodes[at + typeAt!]!]!;
    const what = type === 'object' ? strings[nodes[at + nameAt!]!]! : `(${type})`;
    sizes.set(what, (sizes.get(what) ?? 0) + nodes[at + sizeAt!]!);
  }
  return Object.fromEntries(sizes);
}

/** The largest increases, in bytes. */
export function mostGrown(after: HeapSizes, before: HeapSizes, count: number): Record<string, number> {
  const grown = Object.entries(after).map(([what, size]) => [what, size - (before[what] ?? 0)] as const);
  return Object.fromEntries(
    grown
      .filter(([, bytes]) => bytes > 0)
      .sort(([, a], [, b]) => b - a)
      .slice(0, count),
  );
}
