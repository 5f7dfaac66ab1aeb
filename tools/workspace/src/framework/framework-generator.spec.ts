/**
 * The generator's output is complete: it compiles, has its CRD and its chart, and `muster plan` plans it. The full spec checks the rest.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ensureBinaries, terminalProgress } from '@muster/cluster';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ScratchWorkspace } from '../../test-support/scratch-workspace.ts';
import { frameworkNames } from './framework-names.ts';

const TIMEOUT_MS = 600_000;

/** With a Master, and with Workers alone. */
const SHAPES = [
  {
    name: 'trees',
    options: ['--master=optional', '--restartPolicy=OnFailure', '--port=7000', '--portName=trees', '--scale'],
    pods: ['master-0', 'worker-0', 'worker-1'],
  },
  { name: 'spmd', options: ['--master=none', '--scale'], pods: ['worker-0', 'worker-1', 'worker-2'] },
] as const;

describe('the generator of frameworks', { timeout: TIMEOUT_MS }, () => {
  let scratch: ScratchWorkspace;

  beforeAll(async () => {
    scratch = await ScratchWorkspace.create();
    for (const { name, options } of SHAPES) {
      await scratch.run('nx', 'g', '@muster/workspace:framework', name, ...options, '--skip-install');
      await scratch.link(`@muster/adapter-${name}`, `libs/adapters/${name}`);
      await scratch.link(`@muster/${name}`, `apps/${name}`);
    }
  }, TIMEOUT_MS);

  afterAll(() => scratch.remove());

  it('adds kinds with generated CRDs, and charts', async () => {
    const generated = await scratch.run('node', 'tools/generate/src/main.ts');
    const [helm = ''] = await ensureBinaries(['helm'], terminalProgress());
    for (const { name } of SHAPES) {
      expect(generated).toContain(`charts/${name}/files/crds/kubeflow.org_${name}jobs.yaml`);
      const image = ['--set', 'image.repository=registry.example/operator'];
      expect(await scratch.run(helm, 'lint', '--strict', `charts/${name}`, ...image)).toContain('0 chart(s) failed');
      const enabled = ['--set', `${name}.enabled=true`, '--set', `${name}.image.repository=registry.example/operator`];
      const rendered = await scratch.run(helm, 'template', 'muster', 'charts/muster', ...enabled);
      expect(rendered).toContain(`name: ${name}jobs.kubeflow.org`);
      expect(rendered).toContain(`- ${name}jobs/finalizers`);
    }
  });

  it.each(SHAPES)("adds the kind of $name to the command line's plans", async ({ name, pods }) => {
    const example = `examples/${name}/train.yaml`;
    const planned = await scratch.run('node', 'apps/cli/bin/muster.js', 'plan', '-f', example);
    expect(planned.match(/(?<=^kind: Pod\nmetadata:\n {2}name: ).*$/gm)).toEqual(
      pods.map((pod) => `${name}-train-${pod}`),
    );
    expect(planned).toContain(`value: ${name}-train-${pods[0]}\n`);
  });

  it('writes code that compiles, together with all projects that list each framework', async () => {
    const own = SHAPES.flatMap(({ name }) => [`adapter-${name}`, name]);
    const projects = [...own, 'job-api', 'charts', 'cli', 'dashboards', 'bench', 'bundle', 'verify']
      .map((project) => `@muster/${project}`)
      .join(',');
    const options = ['--targets=types', `--projects=${projects}`, '--outputStyle=static-failures-only'];
    await scratch.run('nx', 'run-many', ...options);
  });

  it('passes its own unit tests, and those that go through all kinds and all charts', async () => {
    await scratch.run(
      'vitest',
      'run',
      '--project',
      'unit',
      ...SHAPES.map(({ name }) => `libs/adapters/${name}/`),
      '-u',
    );
    const specs = [
      'libs/job-api/src/problems-of.spec.ts',
      'apps/cli/src/replay/recorded-adapters.spec.ts',
      'apps/cli/src/upstream-defaults.spec.ts',
      'tools/charts/src/flags.spec.ts',
      'tools/charts/src/tenancy/served-kinds.spec.ts',
      'tools/install/src/install-operators.spec.ts',
    ];
    const only = 'trees|spmd|TreesJob|SpmdJob|existing frameworks';
    await scratch.run('vitest', 'run', '--project', 'unit', ...specs, '-t', only);
  });

  it('adds a page for users and one of differences, and a row or a link in the pages that list all', async () => {
    const page = (path: string) => readFile(join(scratch.root, path), 'utf8');
    expect(await page('README.md')).toMatch(/^\| `spmd` .*SpmdJob/m);
    expect(await page('docs/README.md')).toContain('[Spmd](users/spmd.md)');
    expect(await page(join('docs', 'users', 'spmd.md'))).toContain('the job succeeds when all workers have');
    expect(await page('docs/administrators/differences.md')).toMatch(/^\| \[SpmdJob\]\(differences\/spmdjob\.md\)/m);
    expect(await page('CHANGELOG.md')).toContain('PyTorchJob, TFJob, MXJob, SpmdJob');
  });

  it('rejects a framework that exists', async () => {
    await expect(scratch.run('nx', 'g', '@muster/workspace:framework', 'mxnet', '--skip-install')).rejects.toThrow(
      'apps/mxnet exists already',
    );
  });
});

describe('frameworkNames', () => {
  it.each([
    ['xgboost', 'an XGBoostJob'],
    ['paddle', 'a PaddleJob'],
    ['acme', 'an AcmeJob'],
  ])('have the article of the spoken kind: %s', (name, aKind) => {
    expect(frameworkNames({ name }).aKind).toBe(aKind);
  });

  it("are Kubeflow's if it has the framework, otherwise derived from its name", () => {
    expect(frameworkNames({ name: 'jax' })).toMatchObject({
      kind: 'JAXJob',
      field: 'jaxReplicaSpecs',
      roles: ['Worker'],
      isUpstream: true,
      port: { name: 'jaxjob-port', number: 6666 },
    });
    expect(frameworkNames({ name: 'light-gbm' })).toEqual({
      name: 'light-gbm',
      kind: 'LightGbmJob',
      aKind: 'a LightGbmJob',
      title: 'LightGbm',
      field: 'lightGbmReplicaSpecs',
      singular: 'lightgbmjob',
      camel: 'lightGbm',
      constant: 'LIGHT_GBM',
      master: 'required',
      roles: ['Master', 'Worker'],
      leadingRole: 'Master',
      isUpstream: false,
      restartPolicy: 'Never',
      port: { name: 'lightgbmjob-port', number: 9999 },
      isScalable: false,
    });
  });
});
