/** `muster convert -f job.yaml`: prints Kubeflow's jobs as Volcano Jobs, and those as Kubeflow's. No cluster is asked. */
import type { Command } from 'commander';
import { stringify } from 'yaml';
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
      const manifests = await readManifests(filename).catch((error: unknown) =>
        command.error(`error: ${error instanceof Error ? error.message : String(error)}`),
      );
      const converted = manifests.map((manifest) => convertJob(manifest as Manifest));
      const problems = converted.flatMap((each, at) =>
        typeof each === 'string' ? [`document ${at + 1}: ${each}`] : [],
      );
      if (problems.length > 0) command.error(`error: ${filename} cannot be converted:\n${problems.join('\n')}`);
      const done = converted.flatMap((each) => (typeof each === 'string' ? [] : [each]));
      for (const [at, { lost }] of done.entries())
        for (const line of lost) process.stderr.write(`warning: document ${at + 1}: ${line}\n`);
      const yaml = done.map(({ manifest }) =>
        stringify(manifest, { aliasDuplicateObjects: false, lineWidth: 0, compat: 'yaml-1.1' }),
      );
      process.stdout.write(yaml.join('---\n'));
    });
}
