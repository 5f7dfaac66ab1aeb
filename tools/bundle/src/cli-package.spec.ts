/** The packed command line, installed like by a user without a clone: no network, an empty home, and no other folder of this workspace. */
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { runCommand } from '@muster/cluster';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packCli, type CliPackage } from './cli-package.ts';

const WORKSPACE = join(import.meta.dirname, '../../..');
const STATIC = join(WORKSPACE, 'examples/pytorch-elastic/static.yaml');
const LIMIT_MS = 120_000;

let folder: string;
let cli: CliPackage;
let env: NodeJS.ProcessEnv;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'muster-cli-package-'));
  await mkdir(join(folder, 'home'));
  cli = await packCli(folder);
  const path = `${join(folder, 'prefix/bin')}:${dirname(process.execPath)}:${process.env['PATH']}`;
  env = { HOME: join(folder, 'home'), PATH: path };
  const offline = ['install', '--global', '--offline', '--prefix', join(folder, 'prefix'), cli.file];
  await runCommand('npm', offline, { cwd: folder, env });
}, LIMIT_MS);

afterAll(() => rm(folder, { recursive: true, force: true }));

async function run(program: string, ...args: string[]): Promise<string> {
  return (await runCommand(program, args, { cwd: folder, env })).stdout;
}

describe('the packed command line', { timeout: LIMIT_MS }, () => {
  it('installs muster and kubectl-muster', async () => {
    const { version } = JSON.parse(await readFile(join(WORKSPACE, 'package.json'), 'utf8')) as { version: string };
    expect(await run('muster', 'version')).toBe(`muster ${version}\n`);
    expect(await run('kubectl-muster', 'version')).toBe(`muster ${version}\n`);
  });

  it.each([
    ['plan', ['plan', '-f', STATIC]],
    ['crds', ['crds']],
    ['help of submit', ['submit', '--help']],
  ])('prints for %s the same as a clone', async (_what, args) => {
    const source = [join(WORKSPACE, 'apps/cli/bin/muster.js'), ...args];
    expect(await run('muster', ...args)).toBe((await runCommand(process.execPath, source)).stdout);
  });

  it.each(['cluster', 'operator', 'dashboards'])('says that %s needs a clone', async (command) => {
    await expect(run('muster', command, 'up', '--name', 'x')).rejects.toThrow(
      `Run it in a clone of Muster: npm ci && npx muster ${command}`,
    );
  });

  it('supports SOCKS proxies: the dynamic import of socks has its named exports', async () => {
    const [output = ''] =
      Object.entries(cli.metafile.outputs).find(([, { entryPoint }]) => entryPoint?.endsWith('/socks-client.ts')) ?? [];
    const file = join(folder, 'prefix/lib/node_modules/muster/lib', basename(output));
    const script = `console.log(typeof (await import(${JSON.stringify(pathToFileURL(file).href)})).SocksClient)`;
    expect(await run(process.execPath, '--input-type=module', '--eval', script)).toBe('function\n');
  });

  it('imports no CommonJS package dynamically by its name, which would have no named exports', () => {
    const late = Object.values(cli.metafile.outputs).flatMap(({ entryPoint = '' }) => entryPoint);
    const packages = late.filter((file) => file.startsWith('node_modules/'));
    expect(packages).toEqual(['node_modules/@kubernetes/client-node/dist/config.js']);
  });

  it("has the licenses of its packages, and of the local cluster's code only its signal handling", async () => {
    const licenses = await readFile(join(folder, 'prefix/lib/node_modules/muster/THIRD-PARTY-LICENSES'), 'utf8');
    expect(licenses).toMatch(/^@kubernetes\/client-node [\d.]+ \(Apache-2.0\)$/m);
    const used = Object.values(cli.metafile.outputs).flatMap(({ inputs }) =>
      Object.entries(inputs).flatMap(([file, { bytesInOutput }]) => (bytesInOutput > 0 ? [file] : [])),
    );
    expect(used.filter((file) => file.startsWith('tools/'))).toEqual(['tools/cluster/src/interrupt-signal.ts']);
  });
});
