/** `muster submit -f job.yaml`: sends jobs to the cluster, and follows one to its end if asked to. */
import type { KubeObject } from '@muster/job-api';
import { Option, type Command } from 'commander';
import { CommandError } from '../exit-codes.ts';
import { kindOf } from '../kinds.ts';
import { findJob, referenceOf, titleOf, type FoundJob } from '../jobs/find-job.ts';
import { followLogs } from '../jobs/follow-logs.ts';
import { logWriter } from '../jobs/log-writer.ts';
import {
  clientSideProblems,
  makeAll,
  submissionName,
  submissions,
  tryAll,
  type Validation,
} from '../jobs/submission.ts';
import { waitForJob } from '../jobs/wait-for-job.ts';
import { readManifests, type ManifestFile, type ManifestOfFile } from '../manifest-file.ts';
import { inSession, withClusterOptions, type ClusterOptions, type Session } from '../session.ts';
import { note, out, warn } from '../terminal/output.ts';
import { objectText } from '../terminal/object-text.ts';
import { parseDuration } from '../terminal/parse-duration.ts';

interface Options extends ClusterOptions {
  readonly filename: string;
  readonly name?: string;
  readonly dryRun?: boolean;
  readonly wait?: boolean;
  readonly timeout?: number;
  readonly validate: Validation;
}

export function registerSubmitCommand(program: Command): void {
  withClusterOptions(program.command('submit'))
    .description(
      'Create the objects of a file in the cluster, after a dry run of all of them: if the API server refuses one, none is created.',
    )
    .requiredOption(
      '-f, --filename <file>',
      'the manifest, or - for standard input; other objects in it are sent as well',
    )
    .option('--name <name>', 'the name of the job, in place of the one in the file')
    .option('--dry-run', 'only ask the API server what it would store, and print that as YAML')
    .option(
      '--wait',
      'show progress and the log of the replica that decides, and exit 0 if the job succeeds, 3 if it fails',
    )
    .option('--timeout <duration>', 'with --wait: give up after so long (exit 4); the job goes on', parseDuration)
    .addOption(
      new Option('--validate <mode>', 'what becomes of fields that a job does not have: an error, a warning or nothing')
        .choices(['strict', 'warn', 'ignore'])
        .default('strict'),
    )
    .addHelpText(
      'after',
      `
Each object is reported when it has been created, or as unchanged: an object that is no job, and that the cluster has already
as the file has it, is left as it is. If it differs, nothing is created. The dry run does not cover objects in a namespace that the file itself
creates, nor limits that the first objects use up, such as a quota. If a creation fails for such a reason, the objects
before it stay, and the error lists what has been created and what has not.

Examples:
  muster submit -f job.yaml
  muster submit -f job.yaml --name mnist-2 --wait
  kustomize build . | muster submit -f - --dry-run`,
    )
    .action((options: Options) => inSession(options, (session) => submit(session, options)));
}

async function submit(session: Session, options: Options): Promise<void> {
  const file = await fileOf(options.filename);
  const manifests = named(file.manifests, options.name);
  const jobs = manifests.filter(isJob);
  if (options.wait === true && (jobs.length !== 1 || options.dryRun === true)) {
    throw new CommandError('usage', `--wait follows one job that is sent; ${options.filename} has ${jobs.length}.`);
  }
  file.warnings.forEach(warn);
  const known = check(options, manifests);
  session.onWarning = onceEach((warning) => {
    if (!isAbout(known, warning)) warn(warning);
  });
  const where = { namespace: session.namespace, isNamed: options.namespace !== undefined };
  const all = await submissions(session.client, manifests, where);
  const sending = { validation: options.validate, signal: session.signal };
  if (options.dryRun === true) {
    const tried = await tryAll(session.client, all, sending);
    return out(tried.map((object) => objectText(object, 'yaml')).join('---\n'));
  }
  const notice = 'Interrupted: what has been created stays.';
  session.interruptNotice = notice;
  // With --wait standard output has the log alone.
  const print = options.wait === true ? note : (line: string) => out(`${line}\n`);
  const made: KubeObject[] = [];
  await makeAll(session.client, all, {
    ...sending,
    onSend(submission) {
      session.interruptNotice = `${notice}\nPerhaps created: ${submissionName(submission)}.`;
    },
    onMade(submission, object, outcome) {
      session.interruptNotice = notice;
      print(`${submissionName({ ...submission, manifest: object })} ${outcome}`);
      made.push(object);
    },
  });
  for (const object of made) await followed(session, object, options);
}

/** The API server sends the same warning for the dry run and for the creation. */
function onceEach(report: (warning: string) => void): (warning: string) => void {
  const reported = new Set<string>();
  return (warning) => {
    if (!reported.has(warning)) report(warning);
    reported.add(warning);
  };
}

/** Whether a warning of the API server (`unknown field "spec.a"`) is about a field that has been reported already. */
function isAbout(known: readonly string[], warning: string): boolean {
  const [, path] = /^unknown field "([^"]+)"$/.exec(warning) ?? [];
  return path !== undefined && known.some((line) => line.includes(`${path}:`));
}

async function fileOf(file: string): Promise<ManifestFile> {
  try {
    return await readManifests(file);
  } catch (error) {
    throw new CommandError('error', error instanceof Error ? error.message : String(error));
  }
}

function isJob({ object }: ManifestOfFile): boolean {
  return kindOf(object) !== undefined;
}

function named(manifests: readonly ManifestOfFile[], name: string | undefined): readonly ManifestOfFile[] {
  if (name === undefined) return manifests;
  const jobs = manifests.filter(isJob);
  if (jobs.length !== 1) throw new CommandError('usage', `--name is for one job, and the file has ${jobs.length}.`);
  const renamed = (object: KubeObject): KubeObject => {
    const { generateName: _prefix, ...metadata } = object.metadata ?? {};
    return { ...object, metadata: { ...metadata, name } };
  };
  return manifests.map((manifest) =>
    manifest === jobs[0] ? { ...manifest, object: renamed(manifest.object), exact: renamed(manifest.exact) } : manifest,
  );
}

/** Returns the warnings that it has printed. */
function check({ filename, validate }: Options, manifests: readonly ManifestOfFile[]): readonly string[] {
  const found = manifests.map(({ object, place }) => ({ place, ...clientSideProblems(object, validate) }));
  const lines = (of: (each: (typeof found)[number]) => readonly string[]) =>
    found.flatMap((each) => of(each).map((line) => `${each.place}: ${line}`));
  const warnings = lines((each) => each.warnings);
  warnings.forEach(warn);
  const errors = lines((each) => each.errors);
  if (errors.length > 0) throw new CommandError('error', `${filename} is not sent:\n  ${errors.join('\n  ')}`);
  return warnings;
}

/** Prints how to follow a job, or follows it. Other objects are ignored. */
async function followed(session: Session, object: KubeObject, options: Options): Promise<void> {
  const { name = '', namespace = session.namespace } = object.metadata ?? {};
  const kind = kindOf(object);
  if (kind === undefined) return;
  const reference = referenceOf({ kind, name });
  if (options.wait !== true) return note(`Follow it with: ${session.hint(`wait ${reference}`, namespace)}`);
  const found = await findJob(session.client, reference, namespace);
  await toItsEnd(session, found, options.timeout);
}

/** Progress goes to standard error, so that standard output has the log alone. */
async function toItsEnd(session: Session, found: FoundJob, timeoutMs: number | undefined): Promise<void> {
  const stopped = new AbortController();
  const write = logWriter({ prefix: false, timestamps: false, stream: process.stdout });
  const signal = AbortSignal.any([session.signal, stopped.signal]);
  const logs = followLogs(session.client, found, {
    ...{ selection: {}, container: undefined, tailLines: undefined },
    ...{ write, warn, signal },
  }).catch((error: unknown) => {
    if (!signal.aborted)
      warn(`the log is not shown any more: ${error instanceof Error ? error.message : String(error)}`);
  });
  try {
    const goal = found.kind.isEndless === true ? 'running' : 'succeeded';
    const { state } = await waitForJob(session, found, { goal, timeoutMs, print: note });
    if (found.kind.isEndless !== true) await logs;
    note(`${titleOf(found)} ${state === 'Succeeded' ? 'has succeeded' : 'is running'}.`);
  } catch (error) {
    // What the replica said last belongs before the message of its failure.
    if (error instanceof CommandError && error.exitCode === 3) await logs;
    throw error;
  } finally {
    stopped.abort();
    await logs;
  }
}
