/** `muster submit -f job.yaml`: sends jobs to the cluster, and follows one to its end if asked to. */
import type { KubeObject } from '@muster/job-api';
import { Option, type Command } from 'commander';
import { CommandError } from '../exit-codes.ts';
import { kindOf } from '../kinds.ts';
import { findJob, referenceOf, titleOf, type FoundJob } from '../jobs/find-job.ts';
import { followLogs } from '../jobs/follow-logs.ts';
import { logWriter } from '../jobs/log-writer.ts';
import { clientSideProblems, sendAll, submissions, type Validation } from '../jobs/submission.ts';
import { waitForJob } from '../jobs/wait-for-job.ts';
import { readManifests, type ManifestFile, type ManifestOfFile } from '../manifest-file.ts';
import { inSession, withClusterOptions, type ClusterOptions, type Session } from '../session.ts';
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
    .description('Send the jobs of a file to the cluster: all of them, or none if one is refused.')
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
Examples:
  muster submit -f job.yaml
  muster submit -f job.yaml --name mnist-2 --wait
  kustomize build . | muster submit -f - --dry-run`,
    )
    .action((options: Options) =>
      inSession(options, async (session) => {
        const file = await fileOf(options.filename);
        const manifests = named(file.manifests, options.name);
        const jobs = manifests.filter(isJob);
        if (options.wait === true && (jobs.length !== 1 || options.dryRun === true)) {
          throw new CommandError(
            'usage',
            `--wait follows one job that is sent; ${options.filename} has ${jobs.length}.`,
          );
        }
        for (const each of file.warnings) process.stderr.write(`warning: ${each}\n`);
        check(options, manifests);
        const exact = manifests.map((manifest) => manifest.exact);
        const all = await submissions(session.client, exact, session.namespace);
        const made = await sendAll(session.client, all, { dryRun: options.dryRun === true });
        if (options.dryRun === true) process.stdout.write(made.map(asYaml).join('---\n'));
        else for (const object of made) await told(session, object, options);
      }),
    );
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

function check({ filename, validate }: Options, manifests: readonly ManifestOfFile[]): void {
  const found = manifests.map(({ object, place }) => ({ place, ...clientSideProblems(object, validate) }));
  const lines = (of: (each: (typeof found)[number]) => readonly string[]) =>
    found.flatMap((each) => of(each).map((line) => `${each.place}: ${line}`));
  for (const each of lines(({ warnings }) => warnings)) process.stderr.write(`warning: ${each}\n`);
  const errors = lines((each) => each.errors);
  if (errors.length > 0) throw new CommandError('error', `${filename} is not sent:\n  ${errors.join('\n  ')}`);
}

function asYaml(object: KubeObject): string {
  const { managedFields: _managers, ...metadata } = object.metadata ?? {};
  return objectText({ ...object, metadata }, 'yaml');
}

async function told(session: Session, object: KubeObject, options: Options): Promise<void> {
  const { name = '', namespace = session.namespace } = object.metadata ?? {};
  const kind = kindOf(object);
  if (kind === undefined) return void process.stdout.write(`${object.kind} ${name} created\n`);
  const reference = referenceOf({ kind, name });
  process.stdout.write(`${titleOf({ kind, name, namespace })} submitted\n`);
  if (options.wait !== true) {
    process.stderr.write(`Follow it with: ${session.hint(`wait ${reference}`)}\n`);
    return;
  }
  const found = await findJob(session.client, reference, namespace);
  await toItsEnd(session, found, options.timeout);
}

/** Progress goes to standard error, so that standard output has the log alone. */
async function toItsEnd(session: Session, found: FoundJob, timeoutMs: number | undefined): Promise<void> {
  const stopped = new AbortController();
  const warn = (message: string) => process.stderr.write(`warning: ${message}\n`);
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
    const print = (line: string) => process.stderr.write(`${line}\n`);
    const { state } = await waitForJob(session, found, { goal, timeoutMs, print });
    if (found.kind.isEndless !== true) await logs;
    process.stderr.write(`${titleOf(found)} ${state === 'Succeeded' ? 'has succeeded' : 'is running'}.\n`);
  } catch (error) {
    // What the replica said last belongs before the message of its failure.
    if (error instanceof CommandError && error.exitCode === 3) await logs;
    throw error;
  } finally {
    stopped.abort();
    await logs;
  }
}
