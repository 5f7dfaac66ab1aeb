/** A generated framework, with its image, passes the checks of every framework: lint, format, unit tests, unused code, and its bundle. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ScratchWorkspace } from '../../test-support/scratch-workspace.ts';

describe('a generated framework', () => {
  let scratch: ScratchWorkspace;

  beforeAll(async () => {
    scratch = await ScratchWorkspace.create();
    // A small package, of which pip only reads the versions.
    const options = ['--master=optional', '--scale', '--pip=six', '--skip-install'];
    await scratch.run('nx', 'g', '@muster/workspace:framework', 'acme', ...options);
    await scratch.link('@muster/adapter-acme', 'libs/adapters/acme');
    await scratch.link('@muster/acme', 'apps/acme');
    await scratch.run('node', 'tools/generate/src/main.ts');
    await scratch.run('vitest', 'run', '--project', 'unit', 'libs/adapters/acme/', '--update');
  });

  afterAll(() => scratch.remove());

  it.each(['types', 'lint', 'unit'])('passes %s, together with the packages that list it', async (target) => {
    const others = ['adapter-acme', 'acme', 'job-api', 'charts', 'images', 'demo', 'install'];
    const projects = (target === 'unit' ? others : [...others, 'cli']).map((name) => `@muster/${name}`).join(',');
    const options = [`--targets=${target}`, `--projects=${projects}`, '--outputStyle=static-failures-only'];
    await scratch.run('nx', 'run-many', ...options);
  });

  // Its runs are recorded on an API server (docs/maintainers/replay.md).
  it('passes the unit tests of the command line, except those of recorded runs', async () => {
    const withoutRuns = ['-t', '^(?!plans the recorded reconcile runs)'];
    await scratch.run('vitest', 'run', '--project', 'unit', 'apps/cli/', ...withoutRuns);
  });

  it.each([
    ['format', ['prettier', '--check', '--log-level', 'warn', '.']],
    ['knip', ['knip']],
    ['generated', ['node', 'tools/generate/src/main.ts', '--check']],
  ] as const)('passes %s', async (_step, [program, ...args]) => {
    await scratch.run(program, ...args);
  });

  it('is bundled, and the bundle starts', async () => {
    expect(await scratch.run('node', 'tools/bundle/src/main.ts', 'acme')).toContain('dist/acme/main.cjs');
    expect(await scratch.run('node', 'dist/acme/main.cjs', '--help')).toContain('--namespace');
  });
});
