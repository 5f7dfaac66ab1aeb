/** `muster delete <job…>`: jobs go, with their pods; waits until they are gone. */
import { Option, type Command } from 'commander';
import { isKubeError } from '@muster/kube';
import { CommandError } from '../exit-codes.ts';
import { findJob, titleOf, type FoundJob } from '../jobs/find-job.ts';
import { watchJob } from '../jobs/watch-job.ts';
import { inSession, withClusterOptions, type ClusterOptions, type Session } from '../session.ts';

type Cascade = keyof typeof PROPAGATION;

interface Options extends ClusterOptions {
  readonly wait: 'true' | 'false';
  readonly cascade: Cascade;
}

const PROPAGATION = { background: 'Background', foreground: 'Foreground', orphan: 'Orphan' } as const;

export function registerDeleteCommand(program: Command): void {
  withClusterOptions(program.command('delete'))
    .description('Delete jobs, and wait until they are gone. To stop a job and keep it, use `suspend`.')
    .argument('<jobs...>', 'their names, or kind/name')
    .addOption(
      new Option('--wait <boolean>', 'whether to wait until they are gone').choices(['true', 'false']).default('true'),
    )
    .addOption(
      new Option('--cascade <how>', 'when their pods go: after the job, before it, or not at all')
        .choices(Object.keys(PROPAGATION))
        .default('background'),
    )
    .addHelpText(
      'after',
      `
Examples:
  muster delete mnist
  muster delete tfjob/mnist pytorchjob/mnist -n team
  muster delete mnist --cascade foreground`,
    )
    .action((references: string[], options: Options) =>
      inSession(options, async (session) => {
        // None is deleted unless all are there.
        const found = await Promise.all(
          references.map((reference) => findJob(session.client, reference, session.namespace)),
        );
        await Promise.all(found.map((each) => deleted(session, each, options)));
      }),
    );
}

async function deleted(session: Session, found: FoundJob, { wait, cascade }: Options): Promise<void> {
  const { resource, name, namespace, manifest } = found;
  const title = titleOf(found);
  session.interruptNotice = `Interrupted: what was told to go will go all the same.`;
  const { uid } = manifest.metadata ?? {};
  try {
    const propagationPolicy = PROPAGATION[cascade];
    await session.client.delete(
      resource,
      { name, namespace },
      { propagationPolicy, ...(uid !== undefined && { uid }) },
    );
  } catch (error) {
    if (!isKubeError(error, 'NotFound', 'Conflict')) throw error;
    throw new CommandError('notFound', `${title} has gone meanwhile, or another job has its name now.`);
  }
  if (wait === 'true') await gone(session, found);
  process.stdout.write(`${title} ${wait === 'true' ? 'deleted' : 'is being deleted'}\n`);
}

async function gone({ client, signal }: Session, found: FoundJob): Promise<void> {
  const warn = (message: string) => process.stderr.write(`warning: ${message}\n`);
  for await (const { manifest } of watchJob(client, found, { signal, warn })) if (manifest === undefined) return;
}
