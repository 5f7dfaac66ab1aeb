/**
 * `npm test`: everything a change has to pass, and one last line with the number of tests that passed and failed,
 * counted from the runners' own reports.
 *
 * A failing step does not stop the others that could still tell something: checks of the text first, then tests.
 * `npm test -- unit integration` runs the named steps only. Files that failed on a cluster are run once more at the end
 * (`second-run.ts`).
 */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { OLDEST_KUBERNETES_VERSION } from '@muster/cluster';
import { areTooMany, filesToRunAgain, secondRun } from './second-run.ts';
import { run, type Outcome, type Step } from './step.ts';
import { countsLine, filesOf, sum, type TestFile } from './test-report.ts';

const ROOT = join(import.meta.dirname, '../../..');

interface VitestStep extends Step {
  readonly report: string;
}

function vitest(project: string, name = project, files: readonly string[] = []): VitestStep {
  const report = `reports/${name}.json`;
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  return { name, command: ['vitest', 'run', '--project', project, ...files, ...reporters], report };
}

/** Has the conformance suite play every case for every kind of jobs. */
const EVERY_CASE = { MUSTER_TEST_CONFORMANCE: 'all' } as const;

/** The conformance suite at full length. */
const CONFORMANCE: Step = { ...vitest('integration', 'integration-conformance', ['conformance']), env: EVERY_CASE };

/** What talks to an API server, on one of the oldest release that is supported: the cluster's own tests choose theirs. */
const OLDEST: Step = {
  ...vitest('integration', `integration-${OLDEST_KUBERNETES_VERSION.replace(/\.\d+$/, '')}`, ['apps/', 'libs/']),
  env: { ...EVERY_CASE, MUSTER_TEST_KUBERNETES_VERSION: OLDEST_KUBERNETES_VERSION, MUSTER_TEST_KUBECONFIG: '' },
};

/** In this order: what is quick to fail comes first. */
const STEPS: readonly Step[] = [
  { name: 'types', command: ['tsc', '-p', '.'] },
  // The layer rule reads the project graph that nx has made; without one it would let everything pass.
  { name: 'graph', command: ['nx', 'show', 'projects'] },
  { name: 'lint', command: ['eslint', '.', '--max-warnings', '0'] },
  { name: 'format', command: ['prettier', '--check', '--log-level', 'warn', '.'] },
  { name: 'knip', command: ['knip'] },
  { name: 'generated', command: ['npm', 'run', '--silent', 'generate', '--', '--check'] },
  vitest('unit'),
  vitest('integration'),
  vitest('e2e'),
  vitest('full'),
  CONFORMANCE,
  OLDEST,
];

/** What `npm test` leaves to `npm run e2e:full`: it takes long. */
const LONG = new Set(['full', CONFORMANCE.name, OLDEST.name]);

/** Tests whose outcome time has a part in. */
const ON_A_CLUSTER = new Set(['integration', 'e2e', 'full', CONFORMANCE.name, OLDEST.name]);

/** A node runs containers, which takes Linux and root. */
const CAN_RUN_A_NODE = process.platform === 'linux' && process.getuid?.() === 0;

async function verify(names: readonly string[]): Promise<number> {
  const unknown = names.find((name) => !STEPS.some((step) => step.name === name));
  if (unknown !== undefined) {
    console.error(`there is no step "${unknown}": choose from ${STEPS.map(({ name }) => name).join(', ')}`);
    return 1;
  }
  const steps = STEPS.filter(({ name }) =>
    names.length === 0 ? !LONG.has(name) && (name !== 'e2e' || CAN_RUN_A_NODE) : names.includes(name),
  );
  if (names.length === 0 && !CAN_RUN_A_NODE) console.log('e2e is left out: a real node takes Linux and root');
  await rm(join(ROOT, 'reports'), { recursive: true, force: true });
  await mkdir(join(ROOT, 'reports'));

  const outcomes: StepOutcome[] = [];
  for (const step of steps) outcomes.push(await outcomeOf(step));
  for (const [index, outcome] of outcomes.entries()) outcomes[index] = await runAgain(outcome);

  const failed = outcomes.filter(({ passed }) => !passed);
  const unstable = outcomes.flatMap((outcome) => outcome.unstable);
  await writeFile(join(ROOT, 'reports/unstable.json'), `${JSON.stringify(unstable, undefined, 2)}\n`);
  const counts = sum(outcomes.flatMap(({ files }) => files));
  const ranNothing = outcomes.some(({ step }) => step.report !== undefined) && counts.passed + counts.failed === 0;
  for (const { step, tail } of failed) console.log([`\n── what ${step.name} said last`, ...tail].join('\n'));
  console.log(failed.length === 0 ? '\nevery step passed' : `\nfailed steps: ${failed.map(nameOf).join(', ')}`);
  if (unstable.length > 0) console.log(`unstable, passed only when run by themselves: ${unstable.join(', ')}`);
  if (areTooMany(unstable)) console.log('so many unstable files fail the run: find out what they depend on');
  console.log(countsLine(counts));
  return failed.length > 0 || areTooMany(unstable) || ranNothing ? 1 : 0;
}

interface StepOutcome extends Outcome {
  readonly step: Step;
  /** The test files that it ran, if it runs tests. */
  readonly files: readonly TestFile[];
  readonly unstable: readonly string[];
}

function nameOf({ step }: StepOutcome): string {
  return step.name;
}

async function outcomeOf(step: Step): Promise<StepOutcome> {
  const outcome = await run(step, ROOT);
  const files = step.report === undefined ? [] : await filesIn(step.report);
  return { ...outcome, step, files, unstable: [] };
}

/** A step that passes once the files that failed in it are run by themselves has passed. */
async function runAgain(outcome: StepOutcome): Promise<StepOutcome> {
  const { step, passed, files: first } = outcome;
  const paths = ON_A_CLUSTER.has(step.name) ? filesToRunAgain(first) : [];
  if (passed || paths.length === 0) return outcome;
  const project = step.name.startsWith('integration') ? 'integration' : step.name;
  const again = await outcomeOf({ ...step, ...vitest(project, `${step.name}-again`, paths) });
  const { files, unstable } = secondRun(first, again.files);
  return again.passed ? { ...outcome, passed: true, files, unstable } : { ...again, step, files, unstable };
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
