/**
 * `npm test`: everything a change has to pass, and one last line with the number of tests that passed and failed,
 * counted from the runners' own reports.
 *
 * A failing step does not stop the others that could still tell something: checks of the text first, then tests.
 * `npm test -- unit integration` runs the named steps only, `npm test -- affected` those parts of the steps that differ
 * from the branch main. What needs no cluster are targets of Nx, whose results are kept as long as nothing that goes into
 * them changes (`nx-targets.ts`); tests on a cluster are always run. Files that failed there are run once more at the end
 * (`second-run.ts`).
 */
import { globSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { OLDEST_KUBERNETES_VERSION } from '@muster/cluster';
import { affectedFolders, baseRevision, runTargets } from './nx-targets.ts';
import { rightsReport } from './rights-report.ts';
import { areTooMany, filesToRunAgain, secondRun } from './second-run.ts';
import { run, type Outcome, type Step } from './step.ts';
import { countsLine, filesOf, sum, type TestFile } from './test-report.ts';

const ROOT = join(import.meta.dirname, '../../..');

interface ClusterStep extends Step {
  readonly report: string;
  /** The projects of vitest.config.ts. */
  readonly projects: readonly string[];
  /** The folders whose files it runs. */
  readonly folders: readonly string[];
}

function vitest(
  projects: readonly string[],
  name = projects.join(),
  filters: readonly string[] = ['apps/', 'libs/', 'tools/'],
): ClusterStep {
  const report = `reports/${name}.json`;
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const chosen = projects.flatMap((project) => ['--project', project]);
  const command = ['vitest', 'run', ...chosen, ...filters, ...reporters] as const;
  return { name, command, report, projects, folders: filters };
}

/** Has the conformance suite play every case for every kind of jobs. */
const EVERY_CASE = { MUSTER_TEST_CONFORMANCE: 'all' } as const;

/** The integration tests with the conformance suite at full length, and those that take minutes. */
const EVERY_KIND: ClusterStep = {
  ...vitest(['integration', 'integration-full'], 'integration-full'),
  env: EVERY_CASE,
};

/** What talks to an API server, on one of the oldest release that is supported: the cluster's own tests choose theirs. */
const OLDEST: ClusterStep = {
  ...vitest(['integration'], `integration-${OLDEST_KUBERNETES_VERSION.replace(/\.\d+$/, '')}`, [
    'apps/',
    'libs/',
    'tools/charts/',
  ]),
  env: { ...EVERY_CASE, MUSTER_TEST_KUBERNETES_VERSION: OLDEST_KUBERNETES_VERSION, MUSTER_TEST_KUBECONFIG: '' },
};

/** Targets of Nx. Those of a group run side by side: vitest has a group of its own, because it uses every core itself. */
const TARGET_GROUPS = [['types', 'lint', 'format', 'knip', 'generated'], ['unit']];

const CLUSTER_STEPS: readonly ClusterStep[] = [
  vitest(['integration']),
  vitest(['e2e']),
  vitest(['e2e-full']),
  vitest(['full']),
  EVERY_KIND,
  OLDEST,
];

const NAMES = [...TARGET_GROUPS.flat(), ...CLUSTER_STEPS.map(({ name }) => name)];

/** What `npm test` leaves to `npm run e2e:full`: it takes long. */
const LONG = new Set(['e2e-full', 'full', EVERY_KIND.name, OLDEST.name]);

/** A node runs containers, which takes Linux and root. */
const CAN_RUN_A_NODE = process.platform === 'linux' && process.getuid?.() === 0;

/** Before the names of steps: only what a change touches. */
const AFFECTED = 'affected';

async function verify(args: readonly string[]): Promise<number> {
  const names = args.filter((arg) => arg !== AFFECTED);
  const unknown = names.find((name) => !NAMES.includes(name));
  if (unknown !== undefined) {
    console.error(`there is no step "${unknown}": choose from ${NAMES.join(', ')}, and ${AFFECTED} before them`);
    return 1;
  }
  const base = args.includes(AFFECTED) ? await baseRevision(ROOT) : undefined;
  const isWanted = (name: string) =>
    names.length === 0 ? !LONG.has(name) && (name !== 'e2e' || CAN_RUN_A_NODE) : names.includes(name);
  if (names.length === 0 && !CAN_RUN_A_NODE) console.log('e2e is left out: a real node takes Linux and root');
  await rm(join(ROOT, 'reports'), { recursive: true, force: true });
  await mkdir(join(ROOT, 'reports'));

  const outcomes: StepOutcome[] = [];
  for (const group of TARGET_GROUPS) outcomes.push(...(await outcomesOfTargets(group.filter(isWanted), base)));
  const folders = base === undefined ? undefined : await affectedFolders(ROOT, base);
  const onCluster: ClusterOutcome[] = [];
  for (const step of CLUSTER_STEPS.filter(({ name }) => isWanted(name))) {
    const within = folders === undefined ? step : narrowed(step, folders);
    if (within !== undefined) onCluster.push(await outcomeOf(within));
  }
  for (const outcome of onCluster) outcomes.push(await runAgain(outcome));
  const everyCase = [EVERY_KIND.name, 'e2e'].every((name) => onCluster.some((outcome) => outcome.name === name));
  outcomes.push(...(await rightsOutcome(everyCase)));
  return concluded(outcomes, base);
}

/** Says how it went; the exit code. */
async function concluded(outcomes: readonly StepOutcome[], base: string | undefined): Promise<number> {
  const failed = outcomes.filter(({ passed }) => !passed);
  const unstable = outcomes.flatMap((outcome) => outcome.unstable);
  await writeFile(join(ROOT, 'reports/unstable.json'), `${JSON.stringify(unstable, undefined, 2)}\n`);
  const counts = sum(outcomes.flatMap(({ files }) => files));
  const hasTests = outcomes.some(({ name }) => name === 'unit' || CLUSTER_STEPS.some((step) => step.name === name));
  const ranNothing = base === undefined && hasTests && counts.passed + counts.failed === 0;
  for (const { name, tail } of failed) console.log([`\n── what ${name} said last`, ...tail].join('\n'));
  console.log(
    failed.length === 0 ? '\nevery step passed' : `\nfailed steps: ${failed.map(({ name }) => name).join(', ')}`,
  );
  if (unstable.length > 0) console.log(`unstable, passed only when run by themselves: ${unstable.join(', ')}`);
  if (areTooMany(unstable)) console.log('so many unstable files fail the run: find out what they depend on');
  console.log(countsLine(counts));
  return failed.length > 0 || areTooMany(unstable) || ranNothing ? 1 : 0;
}

/**
 * Whether the operators could do with the rights that their charts give them; and, where every test has been run that may need one, whether
 * they need them all.
 */
async function rightsOutcome(needsAll: boolean): Promise<StepOutcome[]> {
  const report = await rightsReport(join(ROOT, 'reports'));
  if (report === undefined) return [];
  const lines = [
    ...report.refused.map((right) => `a chart lacks a right that its operator needs: ${right}`),
    ...(needsAll ? report.unused.map((right) => `a chart gives a right that nothing needs: ${right}`) : []),
    ...(needsAll ? report.outdated.map((right) => `unused-rights.ts has one that is used: ${right}`) : []),
  ];
  return [{ name: 'rights', passed: lines.length === 0, tail: lines, files: [], unstable: [] }];
}

interface StepOutcome extends Outcome {
  readonly name: string;
  /** The test files that it ran, if it runs tests. */
  readonly files: readonly TestFile[];
  readonly unstable: readonly string[];
}

async function outcomesOfTargets(targets: readonly string[], base: string | undefined): Promise<StepOutcome[]> {
  if (targets.length === 0) return [];
  const outcomes = await runTargets(targets, ROOT, base);
  return Promise.all(
    outcomes.map(async (outcome, index) => {
      const name = targets[index] ?? '';
      const reports = globSync(`reports/${name}/**/*.json`, { cwd: ROOT });
      const files = (await Promise.all(reports.map(filesIn))).flat();
      return { ...outcome, name, files, unstable: [] };
    }),
  );
}

interface ClusterOutcome extends StepOutcome {
  readonly step: ClusterStep;
}

/** The step with only what is in `folders`; undefined where it has no tests there. */
function narrowed(step: ClusterStep, folders: readonly string[]): ClusterStep | undefined {
  const patterns = (folder: string) => step.projects.map((project) => `${folder}/**/*.${project}.spec.ts`);
  const hasSpecs = (folder: string) => globSync(patterns(folder), { cwd: ROOT }).length > 0;
  const within = folders
    .map((folder) => `${folder}/`)
    .filter((folder) => step.folders.some((outer) => folder.startsWith(outer)) && hasSpecs(folder));
  if (within.length > 0) return { ...step, ...vitest(step.projects, step.name, within) };
  console.log(`\n── ${step.name}: nothing of it is affected`);
  return undefined;
}

async function outcomeOf(step: ClusterStep): Promise<ClusterOutcome> {
  const outcome = await run(step, ROOT);
  return { ...outcome, step, name: step.name, files: await filesIn(step.report), unstable: [] };
}

/** A step that passes once the files that failed in it are run by themselves has passed. */
async function runAgain(outcome: ClusterOutcome): Promise<StepOutcome> {
  const { step, passed, files: first } = outcome;
  const paths = filesToRunAgain(first);
  if (passed || paths.length === 0) return outcome;
  const again = await outcomeOf({ ...step, ...vitest(step.projects, `${step.name}-again`, paths) });
  const { files, unstable } = secondRun(first, again.files);
  return again.passed ? { ...outcome, passed: true, files, unstable } : { ...again, name: step.name, files, unstable };
}

/** A runner that died has left no report, and its step has failed. */
async function filesIn(report: string): Promise<TestFile[]> {
  try {
    return filesOf(await readFile(join(ROOT, report), 'utf8'), ROOT);
  } catch (error) {
    console.error(`${report} cannot be read (${String(error)}): the runner has not finished`);
    return [{ path: report, passed: 0, failed: 1, skipped: 0 }];
  }
}

process.exitCode = await verify(process.argv.slice(2));
