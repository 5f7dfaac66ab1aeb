/**
 * `npm test`: everything that a change must pass. The last lines name what failed, what is flaky, and how many tests passed.
 *
 * `npm test -- unit integration` runs the named steps, `npm test -- ci` a suite (`steps.ts`), `npm test -- affected` only projects that
 * differ from the branch main, and their dependents. A failed step does not stop the later ones. Steps without a cluster are targets of Nx,
 * which caches their results while their inputs stay the same (`nx-targets.ts`). Failed files of the other steps run a second time
 * (`second-run.ts`).
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { globSync, openSync } from 'node:fs';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { recordFlakyTests } from './flaky-tests.ts';
import { cleanCommit, overdueParts, recordRuns } from './full-runs.ts';
import { affectedFolders, baseRevision, runTargets } from './nx-targets.ts';
import { rightsReport } from './rights-report.ts';
import { areTooMany, filesToRunAgain, secondRun } from './second-run.ts';
import { run, type Outcome } from './step.ts';
import {
  CLUSTER_STEPS,
  clusterStep,
  MUTANTS,
  needsNode,
  partsOf,
  STEP_NAMES,
  SUITES,
  TARGET_GROUPS,
  USE_EVERY_RIGHT,
  vitestRuns,
  type ClusterStep,
} from './steps.ts';
import { countsLine, filesOf, sum, type TestFile } from './test-report.ts';

const ROOT = join(import.meta.dirname, '../../..');
const FLAKY_TESTS = 'docs/maintainers/flaky-tests.md';
const FULL_RUNS = 'docs/maintainers/full-runs.md';

const MOST_OVERDUE_SHOWN = 8;

/** A real node needs Linux and root. */
const CAN_RUN_A_NODE = process.platform === 'linux' && process.getuid?.() === 0;

/** Before the names of steps: runs only what a change affects. */
const AFFECTED = 'affected';

async function verify(args: readonly string[]): Promise<number> {
  if (args.includes('--help') || args.includes('-h')) {
    console.log(usage());
    return 0;
  }
  const given = args.filter((arg) => arg !== AFFECTED);
  const names = (given.length === 0 ? ['test'] : given).flatMap((name) => SUITES[name] ?? [name]);
  const unknown = names.find((name) => !STEP_NAMES.includes(name));
  if (unknown !== undefined) {
    console.error(
      `unknown step "${unknown}": choose from ${STEP_NAMES.join(', ')}, or a suite (${Object.keys(SUITES).join(', ')}); add "${AFFECTED}" in front to run only what a change affects`,
    );
    return 1;
  }
  const wanted = names.filter((name) => CAN_RUN_A_NODE || !needsNode(name));
  if (wanted.length < names.length) console.log('skipping tests on a real node: they need Linux and root');
  const base = args.includes(AFFECTED) ? await baseRevision(ROOT) : undefined;
  await rm(join(ROOT, 'reports'), { recursive: true, force: true });
  await mkdir(join(ROOT, 'reports'));

  const steps = CLUSTER_STEPS.filter(({ name }) => wanted.includes(name));
  const preparation = steps.length === 0 ? undefined : prepare(steps.some(({ name }) => needsNode(name)));
  const outcomes: StepOutcome[] = [];
  for (const group of TARGET_GROUPS) {
    const targets = group.filter((target) => wanted.includes(target));
    outcomes.push(...(await outcomesOfTargets(targets, base)));
  }
  const folders = base === undefined ? undefined : await affectedFolders(ROOT, base);
  for (const step of vitestRuns(steps)) {
    const within = folders === undefined ? step : narrowed(step, folders);
    if (within !== undefined) outcomes.push(await runAgain(await outcomeOf(within)));
  }
  preparation?.kill();
  if (wanted.includes(MUTANTS.name))
    outcomes.push({ ...(await run(MUTANTS, ROOT)), name: MUTANTS.name, files: [], flaky: [] });
  outcomes.push(...(await rightsOutcome(USE_EVERY_RIGHT.every((name) => wanted.includes(name)))));
  return concluded(outcomes, base);
}

function usage(): string {
  return `usage: npm test -- [${AFFECTED}] [STEP or SUITE…]   without any: the suite test
  ${AFFECTED}   only projects that differ from the branch main, and their dependents
steps: ${STEP_NAMES.join(', ')}
suites: ${Object.keys(SUITES).join(', ')}`;
}

/** Starts `prepare.ts`, with its output in `reports`. */
function prepare(withNode: boolean): ChildProcess {
  const output = openSync(join(ROOT, 'reports/prepare.log'), 'w');
  const args = [join(import.meta.dirname, 'prepare.ts'), ...(withNode ? ['node'] : [])];
  return spawn(process.execPath, args, { cwd: ROOT, stdio: ['ignore', output, output] });
}

interface StepOutcome extends Outcome {
  readonly name: string;
  /** The test files that ran. */
  readonly files: readonly TestFile[];
  /** The tests that passed only on their second run. */
  readonly flaky: readonly string[];
  readonly step?: ClusterStep;
}

/** Prints the result, records it in the tables of `docs/maintainers`, and returns the exit code. */
async function concluded(outcomes: readonly StepOutcome[], base: string | undefined): Promise<number> {
  const failed = outcomes.filter(({ passed }) => !passed);
  const flaky = outcomes.flatMap((outcome) => outcome.flaky);
  const counts = sum(outcomes.flatMap(({ files }) => files));
  const hasTests = outcomes.some(({ name, step }) => name === 'unit' || step !== undefined);
  const ranNothing = base === undefined && hasTests && counts.passed + counts.failed === 0;
  const day = new Date().toISOString().slice(0, 10);
  const commit = await cleanCommit(ROOT, [FLAKY_TESTS, FULL_RUNS]);
  const broken = await recordFlakyTests(join(ROOT, FLAKY_TESTS), flaky, { day, commit: commit ?? 'uncommitted' });
  await recordFullRun(outcomes, commit, day);

  for (const { name, tail } of failed) console.log([`\n── last lines of ${name}`, ...tail].join('\n'));
  console.log(
    failed.length === 0 ? '\nall steps passed' : `\nfailed steps: ${failed.map(({ name }) => name).join(', ')}`,
  );
  const overdue = await overdueParts(join(ROOT, FULL_RUNS), allParts(), ROOT);
  if (overdue.length > 0) console.log(overdueText(overdue));
  if (flaky.length > 0) console.log([`flaky tests, added to ${FLAKY_TESTS} (commit it):`, ...flaky].join('\n  '));
  if (areTooMany(flaky)) console.log('too many flaky files, so the run fails: find their common cause');
  if (broken.length > 0)
    console.log([`flaky for the third time: fix or delete the test, then remove its rows:`, ...broken].join('\n  '));
  console.log(countsLine(counts));
  return failed.length > 0 || areTooMany(flaky) || broken.length > 0 || ranNothing ? 1 : 0;
}

function overdueText(overdue: readonly string[]): string {
  const shown = overdue.slice(0, MOST_OVERDUE_SHOWN);
  const more = overdue.length > shown.length ? [`and ${overdue.length - shown.length} more`] : [];
  return ['overdue, run "npm run e2e:full":', ...shown, ...more].join('\n  ');
}

function allParts(): string[] {
  return [...CLUSTER_STEPS.flatMap((step) => partsOf(step, ROOT)), MUTANTS.name];
}

/** Records the parts of `npm run e2e:full` that passed completely, if the working tree has no changes. */
async function recordFullRun(outcomes: readonly StepOutcome[], commit: string | undefined, day: string): Promise<void> {
  const passed = outcomes.flatMap(({ name, step, files, passed: hasPassed }) =>
    step === undefined
      ? [MUTANTS.name].filter((part) => part === name && hasPassed)
      : partsOf(step, ROOT).filter((part) =>
          part === step.name ? hasPassed : files.some(({ path, failed }) => path === part && failed === 0),
        ),
  );
  if (passed.length === 0) return;
  if (commit === undefined)
    return console.log(`not recorded in ${FULL_RUNS}: commit your changes and run again to record it`);
  const passes = passed.map((part) => ({ part, day, commit }));
  await recordRuns(join(ROOT, FULL_RUNS), passes, allParts());
}

/** Checks that the charts grant every right that an operator used and, with `needsAll`, no other right. */
async function rightsOutcome(needsAll: boolean): Promise<StepOutcome[]> {
  const report = await rightsReport(join(ROOT, 'reports'));
  if (report === undefined) return [];
  const lines = [
    ...report.refused.map((right) => `a chart lacks a right that its operator used: ${right}`),
    ...(needsAll
      ? report.unused.map(
          (right) => `a chart grants a right that no test uses (remove it, or list it in unused-rights.ts): ${right}`,
        )
      : []),
    ...(needsAll
      ? report.outdated.map((right) => `unused-rights.ts lists a right that tests use (remove it there): ${right}`)
      : []),
  ];
  return [{ name: 'rights', passed: lines.length === 0, tail: lines, files: [], flaky: [] }];
}

async function outcomesOfTargets(targets: readonly string[], base: string | undefined): Promise<StepOutcome[]> {
  if (targets.length === 0) return [];
  const outcomes = await runTargets(targets, ROOT, base);
  return Promise.all(
    outcomes.map(async (outcome, index) => {
      const name = targets[index] ?? '';
      const reports = globSync(`reports/${name}/**/*.json`, { cwd: ROOT });
      const files = (await Promise.all(reports.map(filesIn))).flat();
      return { ...outcome, name, files, flaky: [] };
    }),
  );
}

interface ClusterOutcome extends StepOutcome {
  readonly step: ClusterStep;
}

/** The step, limited to `folders`; undefined if it has no tests there. */
function narrowed(step: ClusterStep, folders: readonly string[]): ClusterStep | undefined {
  const patterns = (folder: string) => step.projects.map((project) => `${folder}/**/*.${project}.spec.ts`);
  const hasSpecs = (folder: string) => globSync(patterns(folder), { cwd: ROOT }).length > 0;
  const within = folders
    .map((folder) => `${folder}/`)
    .filter((folder) => step.folders.some((outer) => folder.startsWith(outer)) && hasSpecs(folder));
  if (within.length > 0) return clusterStep(step.name, step.projects, within, step.env);
  console.log(`\n── ${step.name}: skipped, not affected by the change`);
  return undefined;
}

async function outcomeOf(step: ClusterStep): Promise<ClusterOutcome> {
  const outcome = await run(step, ROOT);
  return { ...outcome, step, name: step.name, files: await filesIn(step.report), flaky: [] };
}

/** A step passes if all of its failed files pass on their second run. */
async function runAgain(outcome: ClusterOutcome): Promise<StepOutcome> {
  const { step, passed, files: first } = outcome;
  const paths = filesToRunAgain(first);
  if (passed || paths.length === 0) return outcome;
  const again = await outcomeOf(clusterStep(`${step.name}-again`, step.projects, paths, step.env));
  const { files, flaky } = secondRun(first, again.files);
  const both = { step, name: step.name, files, flaky };
  return again.passed ? { ...outcome, ...both, passed: true } : { ...again, ...both };
}

/** A runner that crashed writes no report: its step fails. */
async function filesIn(report: string): Promise<TestFile[]> {
  try {
    return filesOf(await readFile(join(ROOT, report), 'utf8'), ROOT);
  } catch (error) {
    console.error(`${report} cannot be read, so the runner did not finish: ${String(error)}`);
    return [{ path: report, passed: 0, failed: 1, skipped: 0, failures: [] }];
  }
}

process.exitCode = await verify(process.argv.slice(2));
