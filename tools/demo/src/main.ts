/**
 * `npm start`: brings a cluster up, runs the operators as users do, and shows jobs that are scaled and lose workers while
 * they train. Exits 0 only if every job did what it should, which is read from the API server and the pods' logs.
 *
 * Whatever way it ends, the operators end with it. A run that is interrupted or fails removes what it has started; after
 * a run that came to its end a local cluster stays up, and on a cluster of the user's only the CRDs stay.
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
import { DEMO_FRAMEWORKS } from './frameworks.ts';
import { catchInterrupts, unlessAborted } from './interrupt.ts';
import type { JobReport } from './job-run.ts';
import { type DemoOptions, HELP, parseOptions } from './options.ts';
import { checkPlace, closePlace, openPlace, type Place } from './place.ts';
import { describeJob, isAsExpected, lookFurther } from './report.ts';
import { paintFor, type Terminal } from './view.ts';

/** How long an import that nobody waits for any more may take to tidy up. */
const IMPORT_GRACE_MS = 5_000;

interface DemoRun {
  readonly options: DemoOptions;
  readonly frameworks: readonly DemoFramework[];
  readonly terminal: Terminal;
  readonly progress: Progress;
  readonly signal: AbortSignal;
  /** What goes on although nobody waits for it any more. */
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
  const chosen = options.frameworks.length === 0 ? known : options.frameworks;
  const frameworks = chosen.flatMap((name) => DEMO_FRAMEWORKS[name] ?? []);
  const run: DemoRun = { options, frameworks, terminal, progress: terminalProgress(terminal), signal, unfinished: [] };
  try {
    return await alone(() => demo(run));
  } catch (error) {
    // Whatever failed because of an interruption is not worth telling.
    signal.throwIfAborted();
    throw error;
  } finally {
    // The process is going to end at once: all that was written has to be out.
    await new Promise((resolve) => terminal.write('', resolve));
  }
}

/** Two runs at once would take each other's jobs away. */
function alone(work: () => Promise<number>): Promise<number> {
  const refuse = new AbortController();
  const onWait = (pid: number) =>
    refuse.abort(new DemoError(`Process ${pid} runs the demo already: wait for it, or stop it.`));
  return withLock(join(cacheFolder(), 'demo.lock'), { signal: refuse.signal, onWait }, work);
}

async function demo(run: DemoRun): Promise<number> {
  const { options, progress, signal, terminal } = run;
  const place = await openPlace(options, progress, signal);
  if (!place.trains) progress.note('Its nodes are simulated: pods only pretend to run, and nothing trains.');
  let reports: readonly JobReport[];
  try {
    reports = await showAll(run, place);
    // A local cluster stays as it is, for people to look at.
    if (place.cluster === undefined) await cleanUp(run, place);
  } catch (error) {
    await cleanUp(run, place).catch((failure: unknown) => progress.note(`Not cleaned up: ${explain(failure)}`));
    throw error;
  } finally {
    await place.client.close();
  }
  const paint = paintFor(terminal);
  terminal.write(`\n${reports.map((report) => describeJob(report, paint)).join('\n\n')}\n\n`);
  const good = reports.every(isAsExpected);
  terminal.write(`${good ? 'Every job did what it should.' : 'NOT every job did what it should: see ✗ above.'}\n`);
  if (place.cluster !== undefined) terminal.write(`\n${lookFurther(place.cluster, run.frameworks)}\n`);
  return good ? 0 : 1;
}

async function showAll(run: DemoRun, place: Place): Promise<readonly JobReport[]> {
  const { options, frameworks, progress, signal } = run;
  if (place.cluster?.containerdSocket !== undefined) await importAll(frameworks, place.cluster.containerdSocket, run);
  await progress.step('Making a fresh namespace', () => freshNamespace(place.client, signal));
  const reports: JobReport[] = [];
  for (const framework of frameworks) {
    reports.push(...(await runFramework({ ...run, place, framework, image: options.image })));
  }
  return reports;
}

/** Building cannot be interrupted, but need not be waited for: what it has started dies with this process. */
async function importAll(frameworks: readonly DemoFramework[], containerdSocket: string, run: DemoRun): Promise<void> {
  const names = frameworks.flatMap(({ image, furtherImages = [] }) => [image.name, ...furtherImages]);
  const work = importImages(names, { containerdSocket, progress: run.progress });
  run.unfinished.push(work);
  await unlessAborted(run.signal, work);
}

/** Takes down a cluster that this run has brought up; of any other removes what this run has made there. */
async function cleanUp({ progress, unfinished }: DemoRun, place: Place): Promise<void> {
  const taken = await closePlace(place, progress);
  if (!taken) await progress.step('Removing the jobs and their namespace', () => removeNamespace(place.client));
  // Without its containerd an import ends by itself, and removes its temporary files.
  await Promise.race([Promise.allSettled(unfinished), sleep(IMPORT_GRACE_MS)]);
}

/** Standard output; as a plain stream where somebody wants a log although it is a terminal. */
function outputFor(stream: NodeJS.WriteStream, env: NodeJS.ProcessEnv): Terminal {
  if (!env['CI']) return stream;
  return new Writable({ write: (chunk: Buffer, _encoding, done) => void stream.write(chunk, done) });
}

/** What the person can act on is a message; anything else is a defect of ours and keeps its stack trace. */
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
// Not left to Node: after an interruption an image may still be building, and this ends it.
process.exit(exitCode);
