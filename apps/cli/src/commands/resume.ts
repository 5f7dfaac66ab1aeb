/** `muster resume <job>`: starts a suspended job again. */
import type { Command } from 'commander';
import { setSuspended } from '../jobs/set-suspended.ts';
import { inSession, withClusterOptions, type ClusterOptions } from '../session.ts';

export function registerResumeCommand(program: Command): void {
  withClusterOptions(program.command('resume'))
    .description('Resume a suspended job.')
    .argument('<job>', 'name or kind/name')
    .addHelpText(
      'after',
      `
Examples:
  muster resume mnist
  muster resume raycluster/mnist -n team
  muster resume mnist && muster wait mnist --for running`,
    )
    .action((reference: string, options: ClusterOptions) =>
      inSession(options, (session) => setSuspended(session, reference, false)),
    );
}
