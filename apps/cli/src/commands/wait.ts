/** `muster wait <job>`: progress, one line for each change, until the job is as it was waited for. */
import { Option, type Command } from 'commander';
import { CommandError } from '../exit-codes.ts';
import { findJob, titleOf } from '../jobs/find-job.ts';
import { WAITED_FOR, type WaitedFor } from '../jobs/wait-for.ts';
import { waitForJob } from '../jobs/wait-for-job.ts';
import { inSession, withClusterOptions, type ClusterOptions } from '../session.ts';
import { duration } from '../terminal/age.ts';
import { liveLine } from '../terminal/live-line.ts';
import { parseDuration } from '../terminal/parse-duration.ts';

interface Options extends ClusterOptions {
  readonly for?: WaitedFor;
  readonly timeout?: number;
}

export function registerWaitCommand(program: Command): void {
  withClusterOptions(program.command('wait'))
    .description(
      'Wait for a job, and tell of each change. Exits 0 when it is as waited for, 3 when it has ended otherwise.',
    )
    .argument('<job>', 'its name, or kind/name')
    .addOption(
      new Option(
        '--for <state>',
        'what to wait for (default: succeeded; of a RayCluster, which never ends, running)',
      ).choices(WAITED_FOR),
    )
    .option('--timeout <duration>', 'give up after so long: 90s, 10m, 1h30m. Exits 4; the job goes on', parseDuration)
    .addHelpText(
      'after',
      `
Examples:
  muster wait mnist
  muster wait mnist --for running --timeout 10m
  muster wait mnist --for finished && muster logs mnist`,
    )
    .action((reference: string, options: Options) =>
      inSession(options, async (session) => {
        const found = await findJob(session.client, reference, session.namespace);
        const isEndless = found.kind.isEndless === true;
        const goal = options.for ?? (isEndless ? 'running' : 'succeeded');
        if (isEndless && goal !== 'running' && goal !== 'suspended') {
          throw new CommandError('usage', `${titleOf(found)} never ends by itself: wait for running or suspended.`);
        }
        const startMs = Date.now();
        const waited = () => `${duration(Date.now() - startMs).padStart(6)}  waiting for ${goal} …`;
        using line = liveLine(process.stdout, waited);
        await waitForJob(session, found, { goal, timeoutMs: options.timeout, print: (text) => line.print(text) });
      }),
    );
}
