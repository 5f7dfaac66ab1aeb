/** The unit tests that mutation runs use (`mutants.ts`): those of the engine and of the PyTorch adapter. */
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { defineConfig } from 'vitest/config';

// StrykerJS runs a copy of the repository, in which node_modules still links to the original packages. The aliases lead to the copy.
const root = join(import.meta.dirname, '../../..');
const packages = globSync(['libs/*/package.json', 'libs/adapters/*/package.json', 'tools/*/package.json'], {
  cwd: root,
});

function aliasOf(path: string): [string, string][] {
  const { name, exports } = JSON.parse(readFileSync(join(root, path), 'utf8')) as { name: string; exports?: unknown };
  return typeof exports === 'string' ? [[name, join(root, dirname(path), exports)]] : [];
}

export default defineConfig({
  resolve: { alias: Object.fromEntries(packages.flatMap(aliasOf)) },
  test: {
    // Without isolation the modules of the engine are loaded once for all files, which halves the CPU time of a mutant.
    isolate: false,
    testTimeout: 60_000,
    // Set by `mutants.ts --tests`.
    include: process.env['MUSTER_MUTANT_TESTS']?.split(',') ?? [
      'libs/common-job-controller/**/*.spec.ts',
      'libs/adapters/pytorch/**/*.spec.ts',
    ],
    // Excluded: tests with random input, whose results differ between runs and which take more CPU time than all others; and the test of
    // the largest status, which takes nine tenths of the remaining time. Recorded plans detect every change, also one that no test
    // describes.
    exclude: [
      '**/node_modules/**',
      '**/*.property.spec.ts',
      '**/status-size.spec.ts',
      '**/recorded-plans.spec.ts',
      '**/*.{integration,integration-ci,integration-full,e2e,e2e-ci,e2e-full,full}.spec.ts',
    ],
  },
});
