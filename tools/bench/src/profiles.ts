/**
 * What the API server's CPU is spent on while something is measured: its own profiles, two seconds each, in a folder. Look at those of
 * one measurement together with `go tool pprof -top <folder>/<name>.*.pprof`. Taking them costs the server some per cent.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RawClient } from './raw-client.ts';

const SECONDS = 2;

/** Does `work`, and keeps profiles from its begin until it is done; without a folder it only does it. */
export async function profiled<T>(
  raw: RawClient,
  folder: string | undefined,
  name: string,
  work: () => Promise<T>,
): Promise<T> {
  if (folder === undefined) return work();
  await mkdir(folder, { recursive: true });
  let working = true;
  const profiles = (async () => {
    for (let part = 1; working; part++) {
      const profile = await raw.get(`/debug/pprof/profile?seconds=${SECONDS}`);
      await writeFile(join(folder, `${name}.${String(part).padStart(3, '0')}.pprof`), profile);
    }
  })();
  try {
    return await work();
  } finally {
    working = false;
    await profiles;
  }
}
