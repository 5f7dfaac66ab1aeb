/**
 * `npm start`: starts a cluster and the operators, and shows jobs that are scaled and lose workers while they train. Exits 0 only if
 * every job met all expectations, which are read from the API server and the pods' logs.
 *
 * Operator processes always end with the demo. An interrupted or failed run removes what it started. After a complete run, a local
 * cluster stays up; on the user's cluster only the CRDs stay.
 */
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  cacheFolder,
  ClusterError,
  InterruptedError,
  type Progress,
  terminalProgress,
  withLock,
} from '@muster/cluster';
import { importImages } from '@muster/images';
import { CredentialError, isKubeError } from '@muster/kube';
import { DemoError } from './demo-error.ts';
import type { DemoFramework } from './demo-job.ts';
import { freshNamespace, removeNamespace } from './demo-namespace.ts';
import { runFramework } from './framework-run.ts';
import { DEFAULT_FRAMEWORKS, DEMO_FRAMEWORKS } from './frameworks.ts';
import { catchInterrupts, unlessAborted } from './interrupt.ts';
import type { JobReport } from './job-run.ts';
import { type DemoOptions, HELP, parseOptions } from './options.ts';
import { checkPlace, closePlace, openPlace, type Place } from './place.ts';
import { describeJob, isAsExpected, lookFurther } from './report.ts';
import { paintFor, type Terminal } from './view.ts';

/** How long an interrupted import may take to clean up. */
const IMPORT_GRACE_MS = 5_000;

interface DemoRun {
  readonly options: DemoOptions;
  readonly frameworks: readonly DemoFramework[];
  readonly terminal: Terminal;
  readonly progress: Progress;
  readonly signal: AbortSignal;
  /** Work that may continue after an interruption. */
  readonly unfinished: Promise<unknown>[];
}

async function main(): Promise<number> {
  const known = Object.keys(DEMO_FRAMEWORKS);
  const options = parseOptions(process.argv.slice(2), process.env['INIT_CWD'] ?? process.cwd(), known);
  if (options.help) {
    console.log(HELP.replace('%FRAMEWORKS%', known.join(', ')));
    return 0;
  }
  checkPlace(options);
  const terminal = outputFor(process.stdout, process.env);
  const signal = catchInterrupts((line) => console.error(`\n${line}`));
  const chosen = options.frameworks.length === 0 ? DEFAULT_FRAMEWORKS : options.frameworks;
  const frameworks = chosen.flatMap((name) => DEMO_FRAMEWORKS[name] ?? []);
  const run: DemoRun = { options, frameworks, terminal, progress: terminalProgress(terminal), signal, unfinished: [] };
  try {
    return await alone(() => demo(run));
  } catch (error) {
    // Errors that follow from an interruption are not reported.
    signal.throwIfAborted();
    throw error;
  } finally {
    // The process exits next: all output must be written first.
    await new Promise((resolve) => terminal.write('', resolve));
  }
}

/** Two runs at the same time would delete each other's jobs. */
function alone(work: () => Promise<number>): Promise<number> {
  const refuse = new AbortController();
  const onWait = (pid: number) =>
    refuse.abort(new DemoError(`Process ${pid} already runs the demo: wait until it ends, or stop it.`));
  return withLock(join(cacheFolder(), 'demo.lock'), { signal: refuse.signal, onWait }, work);
}

async function demo(run: DemoRun): Promise<number> {
  const { options, progress, signal, terminal } = run;
  const place = await openPlace(options, progress, signal);
  if (!place.trains) progress.note('The nodes are simulated: no container runs, and no job trains.');
  let reports: readonly JobReport[];
  try {
    reports = await showAll(run, place);
    // A local cluster stays up with its jobs.
    if (place.cluster === undefined) await cleanUp(run, place);
  } catch (error) {
    await cleanUp(run, place).catch((failure: unknown) => progress.note(`Clean-up failed: ${explain(failure)}`));
    throw error;
  } finally {
    await place.client.close();
  }
  const paint = paintFor(terminal);
  terminal.write(`\n${reports.map((report) => describeJob(report, paint)).join('\n\n')}\n\n`);
  const good = reports.every(isAsExpected);
  terminal.write(
    `${good ? 'All jobs met their expectations.' : 'Some jobs did NOT meet their expectations: see ✗ above.'}\n`,
  );
  if (place.cluster !== undefined) terminal.write(`\n${lookFurther(place.cluster, run.frameworks)}\n`);
  return good ? 0 : 1;
}

async function showAll(run: DemoRun, place: Place): Promise<readonly JobReport[]> {
  const { options, frameworks, progress, signal } = run;
  if (place.cluster?.containerdSocket !== undefined) await importAll(frameworks, place.cluster.containerdSocket, run);
  await progress.step('Creating a new namespace', () => freshNamespace(place.client, signal));
  const reports: JobReport[] = [];
  for (const framework of frameworks) {
    reports.push(...(await runFramework({ ...run, place, framework, image: options.image })));
  }
  return reports;
}

/** A build cannot be interrupted, but its processes end with this one. */
async function importAll(frameworks: readonly DemoFramework[], containerdSocket: string, run: DemoRun): Promise<void> {
  const names = frameworks.flatMap(({ image, furtherImages = [] }) => [image.name, ...furtherImages]);
  const work = importImages(names, { containerdSocket, progress: run.progress });
  run.unfinished.push(work);
  await unlessAborted(run.signal, work);
}

/** Stops a cluster that this run started; removes what this run created in any other cluster. */
async function cleanUp({ progress, unfinished }: DemoRun, place: Place): Promise<void> {
  const taken = await closePlace(place, progress);
  if (!taken) await progress.step('Deleting the jobs and their namespace', () => removeNamespace(place.client));
  // Without its containerd, an import ends and removes its temporary files.
  await Promise.race([Promise.allSettled(unfinished), sleep(IMPORT_GRACE_MS)]);
}

/** Standard output; with the variable CI as a plain stream, so that even a terminal gets a log. */
function outputFor(stream: NodeJS.WriteStream, env: NodeJS.ProcessEnv): Terminal {
  if (!env['CI']) return stream;
  return new Writable({ write: (chunk: Buffer, _encoding, done) => void stream.write(chunk, done) });
}

/** Known errors are a message; all others are a defect and keep their stack trace. */
function explain(error: unknown): string {
  const known = [DemoError, ClusterError, CredentialError, InterruptedError];
  if (error instanceof Error && (known.some((kind) => error instanceof kind) || isKubeError(error)))
    return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

let exitCode: number;
try {
  exitCode = await main();
} catch (error) {
  console.error(explain(error));
  exitCode = error instanceof InterruptedError ? error.exitCode : 1;
}
// After an interruption, this also ends a build that still runs.
process.exit(exitCode);
