/** `muster delete <job…>`: deletes jobs, and waits until the objects are gone. Their pods may still be terminating. */
import { Option, type Command } from 'commander';
import type { JobManifest } from '@muster/common-job-controller';
import { isKubeError, setLongTimer } from '@muster/kube';
import { CommandError, EXIT_CODES } from '../exit-codes.ts';
import { findJob, parseReference, titleOf, type FoundJob } from '../jobs/find-job.ts';
import { isAccessDenied, refusalOf } from '../jobs/refusal.ts';
import { watchJob } from '../jobs/watch-job.ts';
import { inSession, withClusterOptions, type ClusterOptions, type Session } from '../session.ts';
import { duration } from '../terminal/age.ts';
import { fail, out, warn } from '../terminal/output.ts';
import { parseDuration } from '../terminal/parse-duration.ts';

type Cascade = keyof typeof PROPAGATION;

export interface DeleteOptions extends ClusterOptions {
  readonly wait: 'true' | 'false';
  readonly cascade: Cascade;
  readonly timeout?: number;
}

const PROPAGATION = { background: 'Background', foreground: 'Foreground', orphan: 'Orphan' } as const;

export function registerDeleteCommand(program: Command): void {
  withClusterOptions(program.command('delete'))
    .description(
      'Delete jobs, and wait until they are gone, as kubectl does. Their pods may still be terminating then, unless --cascade foreground ' +
        'is set. To stop a job and keep it, use `suspend`.',
    )
    .argument('<jobs...>', 'names or kind/name')
    .addOption(
      new Option('--wait <boolean>', 'wait until the jobs are gone').choices(['true', 'false']).default('true'),
    )
    .addOption(
      new Option(
        '--cascade <how>',
        'delete pods after the job (background), before it (foreground), or not at all (orphan)',
      )
        .choices(Object.keys(PROPAGATION))
        .default('background'),
    )
    .option('--timeout <duration>', 'stop waiting after this duration (exit 4); the deletion continues', parseDuration)
    .addHelpText(
      'after',
      `
Examples:
  muster delete mnist
  muster delete tfjob/mnist pytorchjob/mnist -n team
  muster delete mnist --cascade foreground`,
    )
    .action((references: string[], options: DeleteOptions) =>
      inSession(options, async (session) => {
        references.forEach(parseReference);
        const failures: number[] = [];
        await Promise.all(
          references.map((reference) =>
            deleted(session, reference, options).catch((error: unknown) => failures.push(reported(error))),
          ),
        );
        if (failures[0] !== undefined) process.exitCode = failures[0];
      }),
    );
}

/** Reports a job that cannot be deleted, and does not affect the others. Returns the exit code. */
function reported(error: unknown): number {
  if (!(error instanceof CommandError || isKubeError(error))) throw error;
  fail(error.message);
  if (error instanceof CommandError) return error.exitCode;
  return isAccessDenied(error) ? EXIT_CODES.forbidden.code : EXIT_CODES.error.code;
}

/** Throws the reason of the session's signal if it aborts before the deletion is requested. */
export async function deleted(
  session: Session,
  reference: string,
  { wait, cascade, timeout }: DeleteOptions,
): Promise<void> {
  const found = await findJob(session.client, reference, session.namespace);
  session.signal.throwIfAborted();
  session.interruptNotice = 'Interrupted: requested deletions continue.';
  const { resource, name, namespace, manifest } = found;
  const title = titleOf(found);
  const { uid } = manifest.metadata ?? {};
  try {
    const propagationPolicy = PROPAGATION[cascade];
    await session.client.delete(
      resource,
      { name, namespace },
      { propagationPolicy, ...(uid !== undefined && { uid }) },
    );
  } catch (error) {
    if (isAccessDenied(error)) throw refusalOf(title, error);
    if (!isKubeError(error)) throw error;
    const { message } = error;
    if (!isKubeError(error, 'NotFound', 'Conflict')) throw new CommandError('error', `${title}: ${message}`);
    throw new CommandError('notFound', `${title} no longer exists, or another job has its name.`);
  }
  const isGone = wait === 'true' && (await gone(session, found, timeout));
  out(`${title} ${isGone ? 'deleted' : 'is being deleted'}\n`);
}

/** Waits as kubectl does, until the object and its finalizers are gone. False if the user may not watch it. */
async function gone({ client, signal }: Session, found: FoundJob, timeoutMs: number | undefined): Promise<boolean> {
  const over = new AbortController();
  const cancel = timeoutMs === undefined ? () => {} : setLongTimer(timeoutMs, () => over.abort());
  let last: JobManifest = found.manifest;
  try {
    const watched = { signal: AbortSignal.any([signal, over.signal]), warn, withPods: false };
    for await (const { manifest } of watchJob(client, found, watched)) {
      if (manifest === undefined) return true;
      last = manifest;
    }
    throw new Error('the watch ended without a job');
  } catch (error) {
    if (error instanceof CommandError) {
      warn(`Not waiting until ${titleOf(found)} is deleted: ${error.message}`);
      return false;
    }
    if (!over.signal.aborted || signal.aborted) throw error;
    const { finalizers = [] } = last.metadata ?? {};
    const held = finalizers.length === 0 ? '' : ` Its finalizers: ${finalizers.join(', ')}.`;
    const after = duration(timeoutMs ?? 0);
    throw new CommandError('timeout', `${titleOf(found)} is being deleted, but still exists after ${after}.${held}`);
  } finally {
    cancel();
  }
}
