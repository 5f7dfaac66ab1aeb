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

describe('the generator of frameworks', { timeout: TIMEOUT_MS }, () => {
  let scratch: ScratchWorkspace;

  beforeAll(async () => {
    scratch = await ScratchWorkspace.create();
    await scratch.run('nx', 'g', '@muster/workspace:framework', 'xgboost', '--skip-install');
    await scratch.link('@muster/adapter-xgboost', 'libs/adapters/xgboost');
    await scratch.link('@muster/xgboost', 'apps/xgboost');
  }, TIMEOUT_MS);

  afterAll(() => scratch.remove());

  it('adds a kind with a generated CRD, and a chart', async () => {
    const generated = await scratch.run('node', 'tools/generate/src/main.ts');
    expect(generated).toContain('charts/xgboost/files/crds/kubeflow.org_xgboostjobs.yaml');
    const [helm = ''] = await ensureBinaries(['helm'], terminalProgress());
    const image = ['--set', 'image.repository=registry.example/operator'];
    expect(await scratch.run(helm, 'lint', '--strict', 'charts/xgboost', ...image)).toContain('0 chart(s) failed');
    const enabled = ['--set', 'xgboost.enabled=true', '--set', 'xgboost.image.repository=registry.example/operator'];
    const rendered = await scratch.run(helm, 'template', 'muster', 'charts/muster', ...enabled);
    expect(rendered).toContain('name: xgboostjobs.kubeflow.org');
    expect(rendered).toContain('- xgboostjobs/finalizers');
  });

  it("adds the kind to the command line's plans", async () => {
    const planned = await scratch.run('node', 'apps/cli/bin/muster.js', 'plan', '-f', 'examples/xgboost/train.yaml');
    for (const pod of ['master-0', 'worker-0', 'worker-1']) expect(planned).toContain(`name: xgboost-train-${pod}\n`);
    expect(planned).toContain('value: xgboost-train-worker-0,xgboost-train-worker-1');
  });

  it('writes code that compiles, together with all projects that list each framework', async () => {
    const projects = '--projects=@muster/adapter-xgboost,@muster/xgboost,@muster/charts,@muster/cli,@muster/dashboards';
    await scratch.run('nx', 'run-many', '--targets=types', projects, '--outputStyle=static-failures-only');
  });

  it('passes the unit tests that go through all kinds and all charts', async () => {
    const specs = [
      'libs/job-api/src/problems-of.spec.ts',
      'apps/cli/src/replay/recorded-adapters.spec.ts',
      'tools/charts/src/flags.spec.ts',
      'tools/charts/src/tenancy/served-kinds.spec.ts',
      'tools/install/src/install-operators.spec.ts',
    ];
    await scratch.run('vitest', 'run', '--project', 'unit', ...specs, '-t', 'xgboost|XGBoostJob|existing frameworks');
  });

  it('adds a row to the README', async () => {
    expect(await readFile(join(scratch.root, 'README.md'), 'utf8')).toMatch(/^\| `xgboost` .*XGBoostJob/m);
  });

  it('rejects a framework that exists', async () => {
    await expect(scratch.run('nx', 'g', '@muster/workspace:framework', 'mxnet', '--skip-install')).rejects.toThrow(
      'apps/mxnet exists already',
    );
  });
});

describe('frameworkNames', () => {
  it("are Kubeflow's if it has the framework, otherwise derived from its name", () => {
    expect(frameworkNames({ name: 'xgboost' })).toMatchObject({ kind: 'XGBoostJob', field: 'xgbReplicaSpecs' });
    expect(frameworkNames({ name: 'light-gbm' })).toEqual({
      name: 'light-gbm',
      kind: 'LightGbmJob',
      title: 'LightGbm',
      field: 'lightGbmReplicaSpecs',
      singular: 'lightgbmjob',
      camel: 'lightGbm',
      constant: 'LIGHT_GBM',
    });
  });
});
