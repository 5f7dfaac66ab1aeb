/**
 * Finds or builds the programs of a cluster, in this order: built before, provided by the user (KUBEBUILDER_ASSETS, PATH), built now.
 * Concurrent callers never build the same program twice.
 */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { binariesFolder } from '../cache-folders.ts';
import { withLock } from '../folder-lock.ts';
import type { Progress } from '../progress.ts';
import { BINARIES, type BinaryName, type BinarySource, cachedFile } from './binary-catalog.ts';
import { isSameMinor, readBinaryVersion } from './binary-version.ts';
import { buildBinary, buildSourceFile, checkGo } from './go-build.ts';

/**
 * Returns the path of each program, in the given order. Throws a ClusterError if one must be built and cannot be. The first build of all
 * programs takes minutes; the progress shows which program is being built and for how long.
 */
export async function ensureBinaries(
  wanted: readonly (BinaryName | BinarySource)[],
  progress: Progress,
  signal?: AbortSignal,
): Promise<string[]> {
  const sources = wanted.map((one) => (typeof one === 'string' ? BINARIES[one] : one));
  const found = new Map<string, string>();
  for (const source of sources) {
    const path = cachedPath(source) ?? (await findInstalled(source, progress));
    if (path !== undefined) found.set(source.name, path);
  }
  const missing = sources.filter((source) => !found.has(source.name));
  if (missing.length > 0) {
    await checkGo();
    await underBuildLock(progress, signal, async (workFolder) => {
      for (const source of missing) found.set(source.name, await build(source, workFolder, progress, signal));
    });
  }
  return sources.map((source) => found.get(source.name) ?? '');
}

/** The program that holds a pod's namespaces, built from this package's source; only the first build needs Go. */
export async function ensurePause(progress: Progress, signal?: AbortSignal): Promise<string> {
  const sourceFile = fileURLToPath(new URL('../../pause/pause.go', import.meta.url));
  const digest = createHash('sha256').update(readFileSync(sourceFile)).digest('hex').slice(0, 12);
  const file = join(binariesFolder(), `pause-${digest}`);
  if (existsSync(file)) return file;
  await checkGo();
  await underBuildLock(progress, signal, async (workFolder) => {
    await progress.step('Building pause', (step) =>
      buildSourceFile(sourceFile, file, join(workFolder, 'pause'), { signal, onDetail: step.detail }),
    );
  });
  return file;
}

function cachedPath(source: BinarySource): string | undefined {
  const path = cachedFile(source);
  return existsSync(path) ? path : undefined;
}

async function findInstalled(source: BinarySource, progress: Progress): Promise<string | undefined> {
  const folders = [process.env['KUBEBUILDER_ASSETS'] ?? '', ...(process.env['PATH'] ?? '').split(delimiter)];
  const checked = new Set<string>();
  for (const folder of folders.filter((one) => one !== '')) {
    const path = join(folder, source.name);
    // Folders may be links to each other (/bin and /usr/bin): run and report each program once.
    if (!existsSync(path) || checked.has(realpathSync(path))) continue;
    checked.add(realpathSync(path));
    const version = await readBinaryVersion(path, source.versionArguments);
    if (version !== undefined && isSameMinor(version, source.version)) return path;
    const reason = version === undefined ? 'it prints no version' : `it is version ${version}`;
    progress.note(`Skipping ${path}: ${reason}, and ${source.version.split('.').slice(0, 2).join('.')} is needed.`);
  }
  return undefined;
}

async function build(
  source: BinarySource,
  workFolder: string,
  progress: Progress,
  signal: AbortSignal | undefined,
): Promise<string> {
  const builtMeanwhile = cachedPath(source);
  if (builtMeanwhile !== undefined) return builtMeanwhile;
  const file = cachedFile(source);
  await progress.step(`Building ${source.name} ${source.version}`, (step) =>
    buildBinary(source, file, workFolder, { signal, onDetail: step.detail }),
  );
  return file;
}

/** Inside the lock no other process uses the work folder, so files of a killed build can be removed. */
async function underBuildLock(
  progress: Progress,
  signal: AbortSignal | undefined,
  work: (workFolder: string) => Promise<void>,
): Promise<void> {
  const workFolder = join(binariesFolder(), '..', 'build');
  const onWait = (pid: number) => progress.note(`Waiting for process ${pid}, which is building the same binaries.`);
  await withLock(`${workFolder}.lock`, { signal, onWait }, async () => {
    rmSync(workFolder, { recursive: true, force: true });
    try {
      await work(workFolder);
    } finally {
      rmSync(workFolder, { recursive: true, force: true });
    }
  });
}
