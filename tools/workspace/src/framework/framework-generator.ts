/**
 * `nx g @muster/workspace:framework paddle`: a framework with all parts that the engine requires, as small as possible: a Master, which
 * decides the outcome, and Workers, which get its address, or Workers alone. The generator creates the parts that CONTRIBUTING.md lists
 * under "Add a framework", or that page names them as left to do.
 */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { formatFiles, generateFiles, readJson, updateJson, type GeneratorCallback, type Tree } from '@nx/devkit';
import { frameworkImage } from './framework-image.ts';
import { frameworkNames, type FrameworkNames, type FrameworkOptions } from './framework-names.ts';
import { registerFramework } from './register-framework.ts';

interface PackageJson {
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
}

export default async function frameworkGenerator(tree: Tree, options: FrameworkOptions): Promise<GeneratorCallback> {
  const framework = frameworkNames(options);
  refuseTaken(tree, framework);
  const image = options.pip === undefined ? undefined : frameworkImage(tree.root, framework.name, options.pip);
  const values = { ...framework, image, versions: versionsIn(tree) };
  generateFiles(tree, join(import.meta.dirname, 'files'), '.', values);
  if (image !== undefined) generateFiles(tree, join(import.meta.dirname, 'image-files'), '.', values);
  registerFramework(tree, framework, image);
  for (const user of ['apps/cli', 'tools/charts']) {
    updateJson<PackageJson>(tree, `${user}/package.json`, (manifest) => ({
      ...manifest,
      dependencies: sorted({ ...manifest.dependencies, [`@muster/adapter-${framework.name}`]: '*' }),
    }));
  }
  await formatFiles(tree);
  return () => {
    if (options.skipInstall !== true) finish(tree.root, framework);
  };
}

/** Throws if the workspace already has the framework, or a kind of that name. */
function refuseTaken(tree: Tree, { name, kind }: FrameworkNames): void {
  for (const path of [
    `apps/${name}`,
    `libs/adapters/${name}`,
    `libs/job-api/src/${name}-job.ts`,
    `examples/${name}`,
    `docs/users/${name}.md`,
  ]) {
    if (tree.exists(path)) throw new Error(`${path} exists already: choose another name than "${name}"`);
  }
  if (tree.read('libs/job-api/src/labels.ts', 'utf-8')?.includes(`  ${kind}:`)) {
    throw new Error(`the kind ${kind} exists already: name another with --kind`);
  }
}

/** Each package in the version that the workspace uses. */
function versionsIn(tree: Tree): Record<string, string> {
  const { dependencies } = readJson<PackageJson>(tree, 'libs/operator-host/package.json');
  return { ...dependencies };
}

function sorted(dependencies: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(dependencies).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** Parts that programs write from the files: links between packages, the chart with its CRD, the reference page, golden files. */
function finish(root: string, { name }: FrameworkNames): void {
  const run = (program: string, ...args: string[]) => execFileSync(program, args, { cwd: root, stdio: 'inherit' });
  run('npm', 'install');
  run('npm', 'run', '--silent', 'generate');
  run('npx', 'vitest', 'run', '--project', 'unit', `libs/adapters/${name}/`, '--update');
}
