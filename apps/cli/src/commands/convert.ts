/** `muster convert -f job.yaml`: converts jobs of Kubeflow and Volcano Jobs into each other, without a cluster. */
import type { Command } from 'commander';
import { yamlText } from '@muster/kubernetes-yaml';
import { convertJob } from '../convert/convert-job.ts';
import type { Converted, Manifest } from '../convert/converted.ts';
import { readManifests } from '../manifest-file.ts';
import { isOtherObject } from '../planned-kinds.ts';
import { endWithError } from '../terminal/end-with-error.ts';
import { note, out, warn } from '../terminal/output.ts';

export function registerConvertCommand(program: Command): void {
  program
    .command('convert')
    .description('Convert jobs of Kubeflow to Volcano Jobs, or Volcano Jobs to jobs of Kubeflow, without a cluster.')
    .requiredOption('-f, --filename <file>', 'manifest, or - for standard input')
    .addHelpText(
      'after',
      `
Fields without an equivalent in the other kind are listed on standard error. Objects that are not training jobs are printed unchanged.

Examples:
  muster convert -f tfjob.yaml > job.yaml
  muster convert -f job.yaml | muster plan -f -`,
    )
    .action(async ({ filename }: { filename: string }, command: Command) => {
      const { manifests, warnings } = await readManifests(filename).catch((error: unknown) =>
        endWithError(command, error instanceof Error ? error.message : String(error)),
      );
      warnings.forEach(warn);
      const hasJob = manifests.some(({ object }) => !isOtherObject(object));
      const results = manifests.map(({ object, exact, place }) => {
        // In a file without any job, each object is an error.
        const isOther = hasJob && isOtherObject(object);
        return isOther ? { place, manifest: exact, isOther } : { place, ...converted(exact), isOther };
      });
      const problems = results.flatMap((one) => ('problem' in one ? [`${one.place}: ${one.problem}`] : []));
      if (problems.length > 0) endWithError(command, `${filename} cannot be converted:\n${problems.join('\n')}`);
      for (const one of results) {
        if (one.isOther)
          note(
            `note: ${one.place}: ${one.manifest.kind} ${one.manifest.metadata?.name} is not a training job and is printed unchanged`,
          );
        if ('lost' in one) for (const line of one.lost) warn(`${one.place}: ${line}`);
      }
      out(results.flatMap((one) => ('manifest' in one ? [yamlText(one.manifest)] : [])).join('---\n'));
    });
}

function converted(manifest: Manifest): Converted | { readonly problem: string } {
  const result = convertJob(manifest);
  return typeof result === 'string' ? { problem: result } : result;
}
