/** `muster get <job>`: shows the state of a job on one page. */
import { Option, type Command } from 'commander';
import { parseObjectsExactly } from '../jobs/exact-object.ts';
import { findJob } from '../jobs/find-job.ts';
import { jobPage } from '../jobs/job-page.ts';
import { jobView } from '../jobs/job-view.ts';
import { listPods } from '../jobs/list-pods.ts';
import { inSession, withClusterOptions, type ClusterOptions } from '../session.ts';
import { out } from '../terminal/output.ts';
import { objectText } from '../terminal/object-text.ts';

interface Options extends ClusterOptions {
  readonly output: 'page' | 'wide' | 'json' | 'yaml';
}

export function registerGetCommand(program: Command): void {
  withClusterOptions(program.command('get'))
    .description('Show the state, conditions, roles and pods of a job.')
    .argument('<job>', 'name or kind/name')
    .addOption(
      new Option('-o, --output <form>', 'output format').choices(['page', 'wide', 'json', 'yaml']).default('page'),
    )
    .addHelpText(
      'after',
      `
Examples:
  muster get mnist
  muster get pytorchjob/mnist -n team -o wide
  muster get mnist -o json | jq .status.state`,
    )
    .action((reference: string, options: Options) =>
      inSession(options, async ({ client, namespace }) => {
        const found = await findJob(client, reference, namespace);
        if (options.output === 'json' || options.output === 'yaml') {
          const { resource, name } = found;
          const exact = await client.get(resource, { name, namespace }, { parse: parseObjectsExactly });
          out(objectText(exact, options.output));
          return;
        }
        const pods = await listPods(client, found);
        out(jobPage(jobView(found.kind, found.manifest, pods), Date.now(), options.output === 'wide'));
      }),
    );
}
