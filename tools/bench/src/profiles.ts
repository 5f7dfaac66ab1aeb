/**
 * Stores CPU profiles of the API server during a measurement, two seconds each, in a folder. Read those of one measurement together with
 * `go tool pprof -top <folder>/<name>.*.pprof`. Profiling costs the server some per cent.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RawClient } from './raw-client.ts';

const SECONDS = 2;

/** Runs `work` and stores profiles until it ends; without a folder it only runs `work`. */
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
