/**
 * `npm test -- mutants`: whether the unit tests detect a defect in the engine's decisions. StrykerJS changes one expression or statement at
 * a time in a random sample of their functions, and runs the tests that execute it. A mutant that no test detects survives.
 *
 * `node tools/verify/src/mutants.ts --seed <word> --lines <number>` repeats a sample. `… <files…>` tests all functions of some files, `…
 * <file>:<function>,<function>` some functions of a file. `--tests <files>` runs only these specs: enough to see that a new test kills a
 * survivor.
 */
import { Stryker } from '@stryker-mutator/core';
import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { functionsIn, namedIn, sampleOf } from './mutant-sample.ts';
import { hasSurvived, isNoticed } from './survivor-reporter.ts';

const ROOT = join(import.meta.dirname, '../../..');
const ENGINE = 'libs/common-job-controller/src';

/** The files in which the engine decides. */
const DECISIONS = [
  `${ENGINE}/reconcile/{decide,plan}-*.ts`,
  `${ENGINE}/{children,elastic,failures,gang,pods,policies,queueing,replicas,restarts,status}/*.ts`,
];

/** Lines of a sample: about 900 mutants, each of which takes one to two seconds of CPU time. */
const LINES = 500;

/** The share of mutants that tests must detect, in percent. */
const LEAST_NOTICED = 80;

const { values, positionals } = parseArgs({
  options: { seed: { type: 'string' }, lines: { type: 'string' }, tests: { type: 'string', multiple: true } },
  allowPositionals: true,
});
process.chdir(ROOT);
if (values.tests !== undefined) process.env['MUSTER_MUTANT_TESTS'] = values.tests.join(',');
const seed = values.seed ?? execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();
const lines = Number(values.lines ?? (positionals.length > 0 ? Infinity : LINES));
const functions = (positionals.length > 0 ? positionals : DECISIONS).flatMap((chosen) => {
  const [pattern = '', names] = chosen.split(':');
  const files = globSync(pattern).filter((file) => !file.endsWith('.spec.ts'));
  return namedIn(
    files.flatMap((file) => functionsIn(file, readFileSync(file, 'utf8'))),
    names,
  );
});
const sample = sampleOf(functions, seed, lines);
console.log(`${sample.length} functions, seed ${seed}`);

const mutants = await new Stryker({
  mutate: sample.map(({ file, firstLine, lastLine }) => `${file}:${firstLine}-${lastLine}`),
  // Texts are messages, and "?." is mostly needed by the compiler only.
  mutator: { excludedMutations: ['StringLiteral', 'OptionalChaining'] },
  ignorePatterns: ['/apps', '/charts', '/docs', '/reports'],
  plugins: ['@stryker-mutator/vitest-runner', join(import.meta.dirname, 'survivor-reporter.ts')],
  testRunner: 'vitest',
  vitest: { configFile: 'tools/verify/src/mutants.vitest.config.ts', related: false },
  coverageAnalysis: 'perTest',
  ignoreStatic: true,
  concurrency: 2,
  // On a busy machine tests may take many times as long.
  timeoutMS: 60_000,
  dryRunTimeoutMinutes: 30,
  disableTypeChecks: false,
  reporters: ['survivors', 'json'],
  jsonReporter: { fileName: 'reports/mutants.json' },
  tempDirName: 'reports/mutants',
}).runMutationTest();

const noticed = mutants.filter(isNoticed);
const judged = noticed.length + mutants.filter(hasSurvived).length;
const percent = (100 * noticed.length) / Math.max(1, judged);
console.log(
  `tests detect ${noticed.length} of ${judged} mutants, ${percent.toFixed(0)} % (at least ${LEAST_NOTICED} %)`,
);
process.exitCode = percent >= LEAST_NOTICED ? 0 : 1;
