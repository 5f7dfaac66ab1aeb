/**
 * Finds or downloads Prometheus, in this order: Muster's cache, the PATH, Debian's package. The package is unpacked into the cache without
 * installing it, so no root is needed and no service is started. Concurrent callers download it once. A killed caller leaves no incomplete
 * program.
 */
import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { cacheFolder, findProgram, type Progress, runCommand, withLock } from '@muster/cluster';

export interface PrometheusPrograms {
  readonly prometheus: string;
  readonly promtool: string;
}

const ADVICE = 'install the programs prometheus and promtool (Debian package prometheus) in a directory of the PATH';

/** Throws an Error with advice if Prometheus is not found and apt-get cannot download it. */
export async function ensurePrometheus(progress: Progress, signal?: AbortSignal): Promise<PrometheusPrograms> {
  const folder = join(cacheFolder(), 'prometheus');
  const here = programsIn(folder) ?? installedPrograms();
  if (here !== undefined) return here;
  if (findProgram('apt-get') === undefined) throw new Error(`Prometheus is not installed: ${ADVICE}`);
  const onWait = (pid: number) => progress.note(`Waiting for process ${pid}, which is downloading Prometheus.`);
  return withLock(`${folder}.lock`, { signal, onWait }, async () => {
    const fetchedMeanwhile = programsIn(folder);
    if (fetchedMeanwhile !== undefined) return fetchedMeanwhile;
    await progress.step("Downloading Debian's Prometheus", () => fetchInto(folder, signal));
    return { prometheus: join(folder, 'prometheus'), promtool: join(folder, 'promtool') };
  });
}

function programsIn(folder: string): PrometheusPrograms | undefined {
  const programs = { prometheus: join(folder, 'prometheus'), promtool: join(folder, 'promtool') };
  return existsSync(programs.prometheus) && existsSync(programs.promtool) ? programs : undefined;
}

function installedPrograms(): PrometheusPrograms | undefined {
  const [prometheus, promtool] = [findProgram('prometheus'), findProgram('promtool')];
  return prometheus === undefined || promtool === undefined ? undefined : { prometheus, promtool };
}

/** Called with the lock, so the work folder only contains stale files of a killed caller. */
async function fetchInto(folder: string, signal: AbortSignal | undefined): Promise<void> {
  const work = `${folder}.fetch`;
  await rm(work, { recursive: true, force: true });
  await mkdir(join(work, 'bin'), { recursive: true });
  try {
    const archive = await downloadPackage(work, signal);
    await runCommand('dpkg-deb', ['--extract', archive, join(work, 'content')], { signal });
    for (const name of ['prometheus', 'promtool']) {
      await rename(join(work, 'content/usr/bin', name), join(work, 'bin', name));
    }
    await rm(folder, { recursive: true, force: true });
    await rename(join(work, 'bin'), folder);
  } catch (cause) {
    signal?.throwIfAborted();
    throw new Error(`Prometheus could not be downloaded: ${ADVICE}`, { cause });
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** Retries with its own package lists, because those of the system may be missing or outdated. */
async function downloadPackage(work: string, signal: AbortSignal | undefined): Promise<string> {
  const apt = (args: readonly string[]) => runCommand('apt-get', args, { cwd: work, signal });
  try {
    await apt(['download', 'prometheus']);
  } catch {
    signal?.throwIfAborted();
    const lists = join(work, 'lists');
    await mkdir(join(lists, 'partial'), { recursive: true });
    const ownState = ['-o', `Dir::State::Lists=${lists}`, '-o', `Dir::Cache=${dirname(lists)}`];
    await apt([...ownState, 'update']);
    await apt([...ownState, 'download', 'prometheus']);
  }
  const file = (await readdir(work)).find((name) => name.startsWith('prometheus_') && name.endsWith('.deb'));
  if (file === undefined) throw new Error('apt-get download created no package file');
  return join(work, file);
}
