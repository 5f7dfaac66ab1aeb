/** The source of recorded runs: files, or the operators' pods. */
import { recordedLines, type RecordedLine } from '@muster/recording';
import type { Command } from 'commander';
import { CommandError } from '../exit-codes.ts';
import { inSession, withClusterOptions, type ClusterOptions } from '../session.ts';
import { fail, note, warn } from '../terminal/output.ts';
import { operatorRecordings } from './operator-recordings.ts';
import { collectJob, nameIn, type Collected, type Collector } from './recorded-job.ts';

export interface RecordingOptions extends ClusterOptions {
  readonly recording?: string;
  readonly operatorNamespace?: string;
  readonly uid?: string;
}

export function withRecordingOptions(command: Command): Command {
  return withClusterOptions(command)
    .option(
      '--recording <path>',
      "recorded runs: a file, or a folder with files (default: read from the operators' pods)",
    )
    .option('--operator-namespace <name>', 'namespace of the operators, if you may not list pods in all namespaces')
    .option('--uid <uid>', 'UID of the job, if jobs of this name existed one after the other (default: the newest)');
}

/** Calls `work` with the recorded runs of the job, and turns errors into a message and an exit code. */
export async function withRecordedJob<C extends Collector>(
  reference: string,
  options: RecordingOptions,
  create: () => C,
  work: (collected: Collected<C>) => Promise<void> | void,
): Promise<void> {
  const { recording, namespace, operatorNamespace, uid } = options;
  if (recording === undefined) {
    await inSession(options, async (session) => {
      const lines = await operatorRecordings(session, { name: nameIn(reference), operatorNamespace });
      const selection = { reference, namespace: session.namespace, uid };
      await finish(await collectJob(each(lines), selection, create));
    });
    return;
  }
  try {
    await finish(await collectJob(recordedLines(recording), { reference, namespace, uid }, create));
  } catch (error) {
    if (!(error instanceof CommandError) && !isFileError(error)) throw error;
    fail(error.message);
    process.exitCode = error instanceof CommandError ? error.exitCode : 1;
  }

  async function finish(collected: Collected<C>): Promise<void> {
    const { unreadable, earlier } = collected;
    if (unreadable > 0) warn(`${unreadable} ${unreadable === 1 ? 'line' : 'lines'} of the recording cannot be read`);
    if (earlier.length > 0) note(`Earlier jobs of this name: ${earlier.map((each) => `--uid ${each}`).join(', ')}`);
    await work(collected);
  }
}

function isFileError(error: unknown): error is Error {
  return error instanceof Error && ('code' in error || error.message.includes('has no file that ends in'));
}

async function* each(lines: readonly RecordedLine[]): AsyncGenerator<RecordedLine> {
  yield* lines;
  await Promise.resolve();
}
