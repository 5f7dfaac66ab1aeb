/** The operators of an earlier commit, bundled by that commit's own code and kept in the cache by commit. */
import { existsSync } from 'node:fs';
import { copyFile, cp, mkdir, mkdtemp, readdir, readFile, rename, rm, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { cacheFolder, type Progress, runCommand, withLock } from '@muster/cluster';
import type { CustomResourceDefinition } from '@muster/job-api';
import { parseYaml } from '@muster/kubernetes-yaml';
import { commitOf, ROOT } from './previous-commit.ts';
import { canShare, type LockFile, packageLinks } from './shared-packages.ts';

export interface EarlierOperators {
  /** Abbreviated. */
  readonly commit: string;
  /** By framework. */
  readonly operators: ReadonlyMap<
    string,
    { readonly file: string; readonly crds: readonly CustomResourceDefinition[] }
  >;
}

/** The files of a bundle that are needed to run it. */
const RUN_FILES = ['main.cjs', 'operator.cjs'];

/** Bundles them unless they are in the cache, which takes some seconds. @param reference a commit, branch or tag */
export async function ensureOperators(reference: string, progress: Progress): Promise<EarlierOperators> {
  const commit = await commitOf(reference);
  const folder = join(cacheFolder(), 'operators', commit);
  await withLock(`${folder}.lock`, {}, async () => {
    if (existsSync(folder)) return;
    progress.note(`bundling the operators of ${commit.slice(0, 8)}`);
    const work = await mkdtemp(`${folder}-`);
    try {
      await bundleInto(join(work, 'operators'), join(work, 'source'), commit);
      await rename(join(work, 'operators'), folder);
    } finally {
      await rm(work, { recursive: true, force: true });
    }
  });
  const frameworks = await readdir(folder);
  const operators = await Promise.all(frameworks.map(async (name) => [name, await read(join(folder, name))] as const));
  return { commit: commit.slice(0, 8), operators: new Map(operators) };
}

async function read(folder: string) {
  const crds = join(folder, 'crds');
  const texts = await Promise.all((await readdir(crds)).map((file) => readFile(join(crds, file), 'utf8')));
  return {
    file: join(folder, 'main.cjs'),
    crds: texts.map((text) => parseYaml(text).value as unknown as CustomResourceDefinition),
  };
}

async function bundleInto(folder: string, source: string, commit: string): Promise<void> {
  await mkdir(source, { recursive: true });
  const archive = `${source}.tar`;
  await runCommand('git', ['-C', ROOT, 'archive', `--output=${archive}`, commit]);
  await runCommand('tar', ['-xf', archive, '-C', source]);
  await installPackages(source);
  await runCommand(process.execPath, ['tools/bundle/src/main.ts'], { cwd: source });
  for (const framework of await readdir(join(source, 'dist'))) {
    const own = join(folder, framework);
    await mkdir(own, { recursive: true });
    for (const file of RUN_FILES) await copyFile(join(source, 'dist', framework, file), join(own, file));
    await cp(join(source, 'charts', framework, 'files/crds'), join(own, 'crds'), { recursive: true });
  }
}

/** This checkout's packages if they are the same, otherwise an installation. */
async function installPackages(source: string): Promise<void> {
  const [present, wanted] = await Promise.all([ROOT, source].map(lockFileOf));
  if (present === undefined || wanted === undefined || !canShare(present, wanted)) {
    await runCommand('npm', ['ci', '--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: source });
    return;
  }
  for (const [path, target] of packageLinks(wanted, { source, present: ROOT })) {
    await mkdir(dirname(path), { recursive: true });
    await symlink(target, path);
  }
}

async function lockFileOf(folder: string): Promise<LockFile> {
  return JSON.parse(await readFile(join(folder, 'package-lock.json'), 'utf8')) as LockFile;
}
