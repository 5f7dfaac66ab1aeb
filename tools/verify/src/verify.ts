/**
 * `npm test`: everything a change has to pass, and one last line with the number of tests that passed and failed,
 * counted from the runners' own reports.
 *
 * A failing step does not stop the others that could still tell something: checks of the text first, then tests.
 * `npm test -- unit integration` runs the named steps only.
 */
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { OLDEST_KUBERNETES_VERSION } from '@muster/cluster';
import { run, type Step } from './step.ts';
import { countsLine, countsOf, NO_TESTS, sum } from './test-counts.ts';

const ROOT = join(import.meta.dirname, '../../..');

function vitest(project: string, name = project, files: readonly string[] = []): Step & { report: string } {
  const report = `reports/${name}.json`;
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  return { name, command: ['vitest', 'run', '--project', project, ...files, ...reporters], report };
}

/** What talks to an API server, on one of the oldest release that is supported: the cluster's own tests choose theirs. */
const OLDEST: Step = {
  ...vitest('integration', `integration-${OLDEST_KUBERNETES_VERSION.replace(/\.\d+$/, '')}`, ['apps/', 'libs/']),
  env: { MUSTER_TEST_KUBERNETES_VERSION: OLDEST_KUBERNETES_VERSION, MUSTER_TEST_KUBECONFIG: '' },
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
  OLDEST,
];

/** What `npm test` leaves to `npm run e2e:full`: it takes long. */
const LONG = new Set(['full', OLDEST.name]);

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

  const failed: string[] = [];
  const tails: string[] = [];
  let counts = NO_TESTS;
  for (const step of steps) {
    const { passed, tail } = await run(step, ROOT);
    if (!passed) {
      failed.push(step.name);
      tails.push(`\n── what ${step.name} said last`, ...tail);
    }
    if (step.report !== undefined) counts = sum(counts, await countsIn(step.report));
  }
  const ranNothing = steps.some(({ report }) => report !== undefined) && counts.passed + counts.failed === 0;
  if (failed.length > 0) console.log(tails.join('\n'));
  console.log(failed.length === 0 ? '\nevery step passed' : `\nfailed steps: ${failed.join(', ')}`);
  console.log(countsLine(counts));
  return failed.length > 0 || ranNothing ? 1 : 0;
}

/** A runner that died has left no report, and its step has failed. */
async function countsIn(report: string) {
  try {
    return countsOf(await readFile(join(ROOT, report), 'utf8'));
  } catch (error) {
    console.error(`${report} cannot be read (${String(error)}): the runner has not finished`);
    return { ...NO_TESTS, failed: 1 };
  }
}

process.exitCode = await verify(process.argv.slice(2));
