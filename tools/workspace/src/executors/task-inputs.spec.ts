/** The inputs of tasks, as Nx computes them: a task runs again when one of these files changes, and otherwise comes from the cache. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, readFileSync } from 'node:fs';
import { mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../../../..');

async function inputsOf(task: string): Promise<string[]> {
  const args = ['show', 'target', 'inputs', task, '--json'];
  const env = { ...process.env, NX_DAEMON: 'false' };
  // Nx exits before a pipe has taken all of a long output. A file takes it at once.
  const folder = await mkdtemp(join(tmpdir(), 'muster-inputs-'));
  try {
    const path = join(folder, 'inputs.json');
    const file = await open(path, 'w');
    const child = spawn(join(ROOT, 'node_modules/.bin/nx'), args, {
      cwd: ROOT,
      env,
      stdio: ['ignore', file.fd, 'inherit'],
    });
    await once(child, 'close');
    await file.close();
    return (JSON.parse(await readFile(path, 'utf8')) as { files: string[] }).files;
  } finally {
    await rm(folder, { recursive: true });
  }
}

const EVERYBODYS = ['package-lock.json', 'tsconfig.base.json', 'tsconfig.json', 'nx.json'];

describe('a task', () => {
  it.each<[task: string, includes: string[], excludes: string[]]>([
    [
      '@muster/controller:unit',
      [
        'libs/controller/src/work-queue.spec.ts',
        'libs/kube/src/index.ts',
        'libs/job-api/src/index.ts',
        'vitest.config.ts',
        'tools/workspace/src/executors/unit.ts',
      ],
      [
        'libs/kube/src/http-client.spec.ts',
        'libs/common-job-controller/src/index.ts',
        'README.md',
        'eslint.config.mjs',
      ],
    ],
    ['@muster/controller:lint', ['libs/controller/src/index.ts', 'libs/kube/src/index.ts', 'eslint.config.mjs'], []],
    ['@muster/controller:types', ['libs/controller/src/index.ts', 'libs/kube/src/index.ts'], ['eslint.config.mjs']],
    [
      '@muster/adapter-mxnet:unit',
      [
        'examples/mxnet/upstream-forms/tune.yaml',
        'libs/adapters/mxnet/golden/tune.PerJob.objects.yaml',
        'libs/common-job-controller/src/index.ts',
        'libs/testing/src/index.ts',
      ],
      ['examples/mpi/pi-v1.yaml', 'libs/adapters/mpi/src/index.ts'],
    ],
    [
      '@muster/cli:unit',
      ['apps/mpi/src/app.module.ts', 'libs/adapters/mpi/golden/own-account.yaml', 'examples/mpi/pi-v1.yaml'],
      [],
    ],
    [
      '@muster/generate:generated',
      ['libs/job-api/src/mx-job.ts', 'charts/mxnet/files/crds/kubeflow.org_mxjobs.yaml', 'docs/users/api/mxjob.md'],
      ['README.md'],
    ],
    ['muster:format', ['README.md', 'apps/mpi/src/main.ts', '.prettierrc.json'], []],
    ['muster:types', ['vitest.config.ts'], ['apps/mpi/src/main.ts']],
  ])('%s depends on the files that it reads, and on no others', async (task, includes, excludes) => {
    const inputs = await inputsOf(task);
    expect(inputs).toEqual(expect.arrayContaining([...includes, ...EVERYBODYS]));
    expect(inputs.filter((file) => excludes.includes(file))).toEqual([]);
  });
});

describe('a package', () => {
  it.each(globSync(['{apps,libs,tools}/*/package.json', 'libs/adapters/*/package.json'], { cwd: ROOT }))(
    'has tasks for types, lint and unit tests: %s',
    (file) => {
      const { nx } = JSON.parse(readFileSync(join(ROOT, file), 'utf8')) as { nx?: { targets?: object } };
      expect(Object.keys(nx?.targets ?? {})).toEqual(expect.arrayContaining(['types', 'lint', 'unit']));
    },
  );
});
