/** `muster wait <job>`: prints each change of a job until it reaches a state. */
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
      'Wait until a job reaches a state, and print each change. Exits 0 when it does, 3 when it ends in another state.',
    )
    .argument('<job>', 'name or kind/name')
    .addOption(
      new Option(
        '--for <state>',
        'state to wait for (default: succeeded; running for a RayCluster, which never ends)',
      ).choices(WAITED_FOR),
    )
    .option(
      '--timeout <duration>',
      'stop waiting after this duration, such as 90s, 10m or 1h30m (exit 4); the job continues',
      parseDuration,
    )
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
          throw new CommandError('usage', `${titleOf(found)} never ends: use --for running or --for suspended.`);
        }
        const startMs = Date.now();
        const waited = () => `${duration(Date.now() - startMs).padStart(6)}  waiting for ${goal} …`;
        using line = liveLine(process.stdout, waited);
        await waitForJob(session, found, { goal, timeoutMs: options.timeout, print: (text) => line.print(text) });
      }),
    );
}
