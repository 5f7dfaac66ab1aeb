/**
 * A copy of this workspace in its own folder, in which a test may write: git's files, tracked or not, and npm's packages as links to those
 * installed here.
 */
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readlink, realpath, rm, symlink } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const ROOT = join(import.meta.dirname, '../../..');
const exec = promisify(execFile);

export class ScratchWorkspace {
  readonly root: string;

  private constructor(root: string) {
    this.root = root;
  }

  static async create(): Promise<ScratchWorkspace> {
    const root = await realpath(await mkdtemp(join(tmpdir(), 'muster-workspace-')));
    const scratch = new ScratchWorkspace(root);
    try {
      await copyFiles(root);
      await linkPackages(root);
    } catch (error) {
      await scratch.remove();
      throw error;
    }
    return scratch;
  }

  /** The part of `npm install` for a new package of the workspace. */
  async link(name: string, folder: string): Promise<void> {
    await symlink(join(this.root, folder), join(this.root, 'node_modules', name));
  }

  /** The program's output; throws with it on failure. */
  async run(program: string, ...args: string[]): Promise<string> {
    const own = join(this.root, 'node_modules/.bin');
    // Without the variables that Nx sets for tasks of the original workspace.
    const ours = Object.entries(process.env).filter(([name]) => !name.startsWith('NX_') && !name.startsWith('VITEST'));
    const env = { ...Object.fromEntries(ours), PATH: `${own}:${process.env.PATH ?? ''}`, NX_DAEMON: 'false', CI: '' };
    try {
      const { stdout, stderr } = await exec(program, args, { cwd: this.root, env, maxBuffer: 2 ** 26 });
      return stdout + stderr;
    } catch (error) {
      const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
      throw new Error(`${program} ${args.join(' ')} failed:\n${stdout}${stderr}`, { cause: error });
    }
  }

  async remove(): Promise<void> {
    await rm(this.root, { recursive: true });
  }
}

async function copyFiles(root: string): Promise<void> {
  const args = ['ls-files', '--cached', '--others', '--exclude-standard', '-z'];
  const { stdout } = await exec('git', args, { cwd: ROOT, maxBuffer: 2 ** 26 });
  // A file may be deleted without git knowing it yet.
  const files = stdout.split('\0').filter((file) => file !== '' && existsSync(join(ROOT, file)));
  for (const folder of new Set(files.map((file) => dirname(file))))
    await mkdir(join(root, folder), { recursive: true });
  // The charts contain links among them, which must stay within the copy.
  await Promise.all(files.map((file) => cp(join(ROOT, file), join(root, file), { verbatimSymlinks: true })));
}

async function linkPackages(root: string): Promise<void> {
  const [from, to] = [join(ROOT, 'node_modules'), join(root, 'node_modules')];
  await mkdir(join(to, '@muster'), { recursive: true });
  const installed = (await readdir(from)).filter((name) => name !== '@muster');
  await Promise.all(installed.map((name) => symlink(join(from, name), join(to, name))));
  // These are relative links to folders of the workspace: here to folders of the copy.
  for (const name of await readdir(join(from, '@muster'))) {
    await symlink(await readlink(join(from, '@muster', name)), join(to, '@muster', name));
  }
}
