/**
 * Builds programs from the Go module proxy. Versions are exact: a temporary module requires one module at one version, Go's minimal version
 * selection derives all other versions from that module's go.mod, and Go's checksum database verifies the contents. A killed build leaves
 * no partial binary: the file is renamed when it is complete.
 */
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ClusterError } from '../cluster-error.ts';
import { CommandError, runCommand } from '../run-command.ts';
import { type BinarySource, isKubernetes } from './binary-catalog.ts';
import { parseVersion } from './binary-version.ts';
import { replacementLines } from './module-replacements.ts';
import { GO_VERSION } from './versions.ts';

const NO_GO = `Go ${GO_VERSION} or newer is needed to build Kubernetes once: install it from your system's packages or put ready binaries in KUBEBUILDER_ASSETS.`;

export interface BuildOptions {
  signal?: AbortSignal | undefined;
  /** Called with each line of Go's progress. */
  onDetail?: (detail: string) => void;
}

/** Throws a ClusterError if there is no Go that can build the pinned versions. */
export async function checkGo(): Promise<void> {
  let output: string;
  try {
    output = (await runCommand('go', ['env', 'GOVERSION'], { env: goEnvironment() })).stdout;
  } catch (error) {
    throw new ClusterError(NO_GO, { cause: error });
  }
  const found = /(\d+)\.(\d+)/.exec(output);
  const wanted = GO_VERSION.split('.').map(Number);
  const isOld =
    found === null || Number(found[1]) * 1000 + Number(found[2]) < (wanted[0] ?? 0) * 1000 + (wanted[1] ?? 0);
  if (isOld) throw new ClusterError(`${NO_GO} (This machine has ${parseVersion(output) ?? output.trim()}.)`);
}

/** Builds one program into `file`, with `workFolder` for the temporary module. */
export async function buildBinary(
  source: BinarySource,
  file: string,
  workFolder: string,
  options: BuildOptions,
): Promise<void> {
  const lines = [
    'module muster.dev/build',
    `go ${GO_VERSION}`,
    `require ${source.module} v${source.version}`,
    ...(await replacements(source, workFolder, options.signal)),
  ];
  const folder = join(workFolder, source.name);
  writeModule(folder, { 'go.mod': `${lines.join('\n\n')}\n` });
  const stamp = isKubernetes(source) ? kubernetesVersionFlags(source.version) : [];
  await goBuild({ folder, target: source.package, file, stamp }, source.name, options);
}

/** Builds one of our programs from a source file that uses only the standard library. */
export async function buildSourceFile(
  sourceFile: string,
  file: string,
  workFolder: string,
  options: BuildOptions,
): Promise<void> {
  writeModule(workFolder, {
    'go.mod': `module muster.dev/build\n\ngo ${GO_VERSION}\n`,
    'main.go': readFileSync(sourceFile, 'utf8'),
  });
  await goBuild({ folder: workFolder, target: '.', file, stamp: [] }, sourceFile, options);
}

/**
 * Kubernetes' go.mod replaces its staging modules by folders of its repository, which does not work for a dependency: replaces each
 * required one by the module published from that folder.
 */
export function parseStagingModules(goMod: string): string[] {
  const required = new Set([...goMod.matchAll(/^\s*(k8s\.io\/\S+) v0\.0\.0(?:\s|$)/gm)].map((match) => match[1]));
  return [...goMod.matchAll(/^\s*(k8s\.io\/\S+) => \.\/staging\//gm)].flatMap(([, module = '']) =>
    required.has(module) ? [module] : [],
  );
}

async function replacements(
  source: BinarySource,
  workFolder: string,
  signal: AbortSignal | undefined,
): Promise<string[]> {
  if (!isKubernetes(source) && source.replacements === undefined) return [];
  const { GoMod } = await downloadModule(source, join(workFolder, 'download'), signal);
  const goMod = readFileSync(GoMod, 'utf8');
  if (source.replacements !== undefined) return replacementLines(goMod, source.replacements);
  const version = `v0.${source.version.split('.').slice(1).join('.')}`;
  return parseStagingModules(goMod).map((module) => `replace ${module} => ${module} ${version}`);
}

type GoModule = Pick<BinarySource, 'module' | 'version'>;

/**
 * The folder in Go's module cache with the source of a program's module, downloaded if it is missing. It has files that a project publishes
 * beside its programs, such as CRDs. It belongs to Go and is read-only.
 */
export async function moduleFolder(source: GoModule, signal?: AbortSignal): Promise<string> {
  await checkGo();
  const folder = mkdtempSync(join(tmpdir(), 'muster-module-'));
  try {
    return (await downloadModule(source, folder, signal)).Dir;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function downloadModule(
  source: GoModule,
  folder: string,
  signal: AbortSignal | undefined,
): Promise<{ GoMod: string; Dir: string }> {
  writeModule(folder, { 'go.mod': `module muster.dev/build\n\ngo ${GO_VERSION}\n` });
  const module = `${source.module}@v${source.version}`;
  const { stdout } = await runGo(['mod', 'download', '-json', module], module, { cwd: folder, signal });
  return JSON.parse(stdout) as { GoMod: string; Dir: string };
}

/** Kubernetes gets its version only from the linker; without it every component reports v0.0.0 and skips version checks. */
function kubernetesVersionFlags(version: string): string[] {
  const [major = '', minor = ''] = version.split('.');
  const stamp = { gitVersion: `v${version}`, gitMajor: major, gitMinor: minor, gitTreeState: 'clean' };
  return Object.entries(stamp).map(([name, value]) => `-X k8s.io/component-base/version.${name}=${value}`);
}

function writeModule(folder: string, files: Record<string, string>): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
}

interface GoTarget {
  folder: string;
  target: string;
  file: string;
  stamp: string[];
}

async function goBuild({ folder, target, file, stamp }: GoTarget, what: string, options: BuildOptions): Promise<void> {
  const unfinished = join(folder, 'binary');
  let packages = 0;
  const args = ['build', '-v', '-trimpath', '-ldflags', ['-s -w', ...stamp].join(' '), '-o', unfinished, target];
  await runGo(args, what, {
    cwd: folder,
    signal: options.signal,
    onErrorLine: (line) =>
      options.onDetail?.(line.startsWith('go: ') ? line.slice(4) : `${++packages} packages, ${line}`),
  });
  mkdirSync(dirname(file), { recursive: true });
  renameSync(unfinished, file);
}

interface GoRun {
  cwd: string;
  signal: AbortSignal | undefined;
  onErrorLine?: (line: string) => void;
}

async function runGo(args: string[], what: string, run: GoRun) {
  try {
    return await runCommand('go', args, { ...run, env: goEnvironment() });
  } catch (error) {
    run.signal?.throwIfAborted();
    const reason = error instanceof CommandError ? error.lastLines : String(error);
    const advice = 'check the network (GOPROXY) and the free disk space, then try again';
    throw new ClusterError(`go ${args[0]} of ${what} failed: ${advice}. Go's output:\n${reason}`, { cause: error });
  }
}

/** Go's module and build caches are shared with other programs of the machine, so a second build is fast. */
export function goEnvironment(env: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
  return {
    ...env,
    // Go needs a home for its caches; containers and services often have none.
    HOME: env['HOME'] || homedir(),
    CGO_ENABLED: '0',
    GOFLAGS: '-mod=mod -buildvcs=false',
    GOTOOLCHAIN: 'local',
    GOWORK: 'off',
  };
}
