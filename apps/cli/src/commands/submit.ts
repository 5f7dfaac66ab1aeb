/** `muster submit -f job.yaml`: creates jobs in the cluster, and with --wait follows one until it ends. */
import type { KubeObject } from '@muster/job-api';
import { Option, type Command } from 'commander';
import { CommandError } from '../exit-codes.ts';
import { kindOf } from '../kinds.ts';
import { findJob, referenceOf, titleOf, type FoundJob } from '../jobs/find-job.ts';
import { followLogs } from '../jobs/follow-logs.ts';
import { logWriter } from '../jobs/log-writer.ts';
import {
  clientSideProblems,
  createAll,
  submissionName,
  submissions,
  dryRunAll,
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
      'Create the objects of a file in the cluster, after a dry run of all of them. If the API server refuses one, none is created.',
    )
    .requiredOption(
      '-f, --filename <file>',
      'manifest, or - for standard input; objects other than jobs are created, too',
    )
    .option('--name <name>', 'name of the job, instead of the one in the file')
    .option('--dry-run', 'create nothing, and print what the API server would store as YAML')
    .option('--wait', 'print progress and the log of the deciding replica; exit 0 if the job succeeds, 3 if it fails')
    .option(
      '--timeout <duration>',
      'with --wait: stop waiting after this duration (exit 4); the job continues',
      parseDuration,
    )
    .addOption(
      new Option('--validate <mode>', 'handling of unknown fields: an error, a warning, or ignored')
        .choices(['strict', 'warn', 'ignore'])
        .default('strict'),
    )
    .addHelpText(
      'after',
      `
Each created object is reported. An existing object that is not a job and equals the one in the file is reported as unchanged.
If it differs, nothing is created. The dry run does not cover objects in a namespace that the file itself creates, nor
a quota that the first objects use up. If a creation fails for such a reason, the objects before it are kept, and the
error lists which objects were created and which were not.

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
    throw new CommandError(
      'usage',
      `--wait needs exactly one job, and no --dry-run; jobs in ${options.filename}: ${jobs.length}.`,
    );
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
    const tried = await dryRunAll(session.client, all, sending);
    return out(tried.map((object) => objectText(object, 'yaml')).join('---\n'));
  }
  const notice = 'Interrupted: created objects are kept.';
  session.interruptNotice = notice;
  // With --wait, standard output has only the log.
  const print = options.wait === true ? note : (line: string) => out(`${line}\n`);
  const made: KubeObject[] = [];
  await createAll(session.client, all, {
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

/** Whether a warning of the API server (`unknown field "spec.a"`) is about a reported field. */
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
  if (jobs.length !== 1)
    throw new CommandError('usage', `--name needs exactly one job; jobs in the file: ${jobs.length}.`);
  const renamed = (object: KubeObject): KubeObject => {
    const { generateName: _prefix, ...metadata } = object.metadata ?? {};
    return { ...object, metadata: { ...metadata, name } };
  };
  return manifests.map((manifest) =>
    manifest === jobs[0] ? { ...manifest, object: renamed(manifest.object), exact: renamed(manifest.exact) } : manifest,
  );
}

/** Returns the printed warnings. */
function check({ filename, validate }: Options, manifests: readonly ManifestOfFile[]): readonly string[] {
  const found = manifests.map(({ object, place }) => ({ place, ...clientSideProblems(object, validate) }));
  const lines = (of: (each: (typeof found)[number]) => readonly string[]) =>
    found.flatMap((each) => of(each).map((line) => `${each.place}: ${line}`));
  const warnings = lines((each) => each.warnings);
  warnings.forEach(warn);
  const errors = lines((each) => each.errors);
  if (errors.length > 0) throw new CommandError('error', `${filename} is not submitted:\n  ${errors.join('\n  ')}`);
  return warnings;
}

/** Prints how to follow a job, or follows it. Ignores other objects. */
async function followed(session: Session, object: KubeObject, options: Options): Promise<void> {
  const { name = '', namespace = session.namespace } = object.metadata ?? {};
  const kind = kindOf(object);
  if (kind === undefined) return;
  const reference = referenceOf({ kind, name });
  if (options.wait !== true) return note(`Follow it with: ${session.hint(`wait ${reference}`, namespace)}`);
  const found = await findJob(session.client, reference, namespace);
  await toItsEnd(session, found, options.timeout);
}

/** Progress goes to standard error, so that standard output has only the log. */
async function toItsEnd(session: Session, found: FoundJob, timeoutMs: number | undefined): Promise<void> {
  const stopped = new AbortController();
  const write = logWriter({ prefix: false, timestamps: false, stream: process.stdout });
  const signal = AbortSignal.any([session.signal, stopped.signal]);
  const logs = followLogs(session.client, found, {
    ...{ selection: {}, container: undefined, tailLines: undefined },
    ...{ write, warn, signal },
  }).catch((error: unknown) => {
    if (!signal.aborted) warn(`the log cannot be followed: ${error instanceof Error ? error.message : String(error)}`);
  });
  try {
    const goal = found.kind.isEndless === true ? 'running' : 'succeeded';
    const { state } = await waitForJob(session, found, { goal, timeoutMs, print: note });
    if (found.kind.isEndless !== true) await logs;
    note(`${titleOf(found)} ${state === 'Succeeded' ? 'has succeeded' : 'is running'}.`);
  } catch (error) {
    // The last lines of the log come before the message of the failure.
    if (error instanceof CommandError && error.exitCode === 3) await logs;
    throw error;
  } finally {
    stopped.abort();
    await logs;
  }
}
