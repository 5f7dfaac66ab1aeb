/** `muster convert -f job.yaml`: prints Kubeflow's jobs as Volcano Jobs, and those as Kubeflow's. No cluster is asked. */
import type { Command } from 'commander';
import { yamlText } from '@muster/kubernetes-yaml';
import { convertJob } from '../convert/convert-job.ts';
import type { Manifest } from '../convert/converted.ts';
import { readManifests } from '../manifest-file.ts';

export function registerConvertCommand(program: Command): void {
  program
    .command('convert')
    .description("Print Kubeflow's jobs as Volcano Jobs, and Volcano Jobs as Kubeflow's, without a cluster.")
    .requiredOption('-f, --filename <file>', 'the manifest, or - for standard input')
    .addHelpText(
      'after',
      `
What the other form cannot say is told on standard error.

Examples:
  muster convert -f tfjob.yaml > job.yaml
  muster convert -f job.yaml | muster plan -f -`,
    )
    .action(async ({ filename }: { filename: string }, command: Command) => {
      const { manifests, warnings } = await readManifests(filename).catch((error: unknown) =>
        command.error(`error: ${error instanceof Error ? error.message : String(error)}`),
      );
      for (const each of warnings) process.stderr.write(`warning: ${each}\n`);
      const converted = manifests.map(({ exact, place }) => ({ place, result: convertJob(exact as Manifest) }));
      const problems = converted.flatMap(({ place, result }) =>
        typeof result === 'string' ? [`${place}: ${result}`] : [],
      );
      if (problems.length > 0) command.error(`error: ${filename} cannot be converted:\n${problems.join('\n')}`);
      const done = converted.flatMap(({ place, result }) => (typeof result === 'string' ? [] : [{ place, ...result }]));
      for (const { place, lost } of done) for (const line of lost) process.stderr.write(`warning: ${place}: ${line}\n`);
      process.stdout.write(done.map(({ manifest }) => yamlText(manifest)).join('---\n'));
    });
}
