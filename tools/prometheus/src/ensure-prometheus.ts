/**
 * Finds or fetches Prometheus. The order: fetched before, installed (PATH), fetched now from Debian's package, which is
 * unpacked into Muster's cache and not installed: no root is needed, and no service is started. Two callers at once never
 * fetch it twice, and a killed one leaves no half program.
 */
import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { cacheFolder, findProgram, type Progress, runCommand, withLock } from '@muster/cluster';

/** Paths of the programs. */
export interface PrometheusPrograms {
  readonly prometheus: string;
  readonly promtool: string;
}

const ADVICE =
  'install the programs prometheus and promtool, which Debian has in its package prometheus, so that they are on the PATH';

/** Throws an Error that says what to install where Prometheus is neither there nor to be had with apt-get. */
export async function ensurePrometheus(progress: Progress, signal?: AbortSignal): Promise<PrometheusPrograms> {
  const folder = join(cacheFolder(), 'prometheus');
  const here = programsIn(folder) ?? installedPrograms();
  if (here !== undefined) return here;
  if (findProgram('apt-get') === undefined) throw new Error(`Prometheus is needed: ${ADVICE}`);
  const onWait = (pid: number) => progress.note(`Waiting for process ${pid}, which is fetching Prometheus.`);
  return withLock(`${folder}.lock`, { signal, onWait }, async () => {
    const fetchedMeanwhile = programsIn(folder);
    if (fetchedMeanwhile !== undefined) return fetchedMeanwhile;
    await progress.step("Fetching Debian's Prometheus", () => fetchInto(folder, signal));
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

/** Inside the lock the work folder is ours, so what a killed caller left in it can go. */
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
    throw new Error(`Prometheus could not be fetched: ${ADVICE}`, { cause });
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** The package's file. The machine's lists of packages may be missing or old: then it is tried again with lists of our own. */
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
  if (file === undefined) throw new Error('apt-get download has left no package');
  return join(work, file);
}
