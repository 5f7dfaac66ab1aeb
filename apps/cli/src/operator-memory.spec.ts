/** Modules that an operator started from a clone must not load: loaded code is most of its memory. */
import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';

const MUSTER = fileURLToPath(new URL('../bin/muster.js', import.meta.url));

/** Prints the number of loaded modules of each kind at the end of the process. */
const RECORDER = `
  import { registerHooks } from 'node:module';
  const urls = [];
  registerHooks({ load: (url, context, next) => (urls.push(url), next(url, context)) });
  const count = (pattern) => urls.filter((url) => pattern.test(url)).length;
  process.on('exit', () => console.log('LOADED ' + JSON.stringify({
    bundles: count(/\\/operator\\.cjs$/),
    nest: count(/node_modules\\/@nestjs\\//),
    models: count(/client-node\\/dist\\/gen\\/models\\//),
    compilers: count(/node_modules\\/(tsx|typescript)\\//),
  })));`;

it('muster operator loads no more modules than a deployed operator', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'muster-memory-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  // Without an API server it does not become ready, but has loaded all of its modules.
  const kubeconfig = join(folder, 'kubeconfig');
  const user = { name: 'u', user: { token: 't' } };
  const cluster = { name: 'c', cluster: { server: 'http://127.0.0.1:1' } };
  const context = { name: 'c', context: { cluster: 'c', user: 'u' } };
  const content = { clusters: [cluster], contexts: [context], users: [user], 'current-context': 'c' };
  await writeFile(kubeconfig, JSON.stringify(content));
  const recorder = `data:text/javascript,${encodeURIComponent(RECORDER)}`;
  const operator = ['operator', 'pytorch-elastic', '--port', '0', '--kubeconfig', kubeconfig];
  const child = spawn(process.execPath, ['--import', recorder, MUSTER, ...operator], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  child.stdout.on('data', (chunk: Buffer) => {
    // Logged after its first requests, for which it has read its credentials.
    if (chunk.toString().includes('ECONNREFUSED')) child.kill('SIGTERM');
  });
  const [, loaded = ''] = (await text(child.stdout)).split('LOADED ');
  expect(JSON.parse(loaded)).toEqual({ bundles: 1, nest: 0, models: 0, compilers: 0 });
});
