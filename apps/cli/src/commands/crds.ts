/** `muster crds [framework…]`: custom resource definitions on standard output, ready for `kubectl apply -f -`. */
import { crdFor, pytorchJobDefinition } from '@muster/job-api';
import type { CustomResourceDefinition } from '@muster/job-api';
import type { Command } from 'commander';
import { stringify } from 'yaml';

/** The definitions that each framework's operator serves. */
const CRDS: Readonly<Record<string, () => CustomResourceDefinition[]>> = {
  'pytorch-elastic': () => [crdFor(pytorchJobDefinition)],
};

export function registerCrdsCommand(program: Command): void {
  const known = Object.keys(CRDS);
  program
    .command('crds')
    .description('Print the custom resource definitions of the frameworks that are named, or of all, as YAML.')
    .argument('[frameworks...]', known.join(', '))
    .addHelpText(
      'after',
      `
Examples:
  muster crds | kubectl apply -f -
  muster crds pytorch-elastic > crds.yaml
  muster crds pytorch-elastic | kubectl diff -f -`,
    )
    .action((frameworks: string[], _options: unknown, command: Command) => {
      const documents = (frameworks.length === 0 ? known : frameworks).flatMap((framework) => {
        const crds = CRDS[framework];
        if (crds === undefined) {
          return command.error(`error: unknown framework "${framework}"; known are: ${known.join(', ')}`);
        }
        return crds();
      });
      // Every document in full: not all that reads YAML follows aliases.
      const yaml = documents.map((crd) => stringify(crd, { aliasDuplicateObjects: false, lineWidth: 0 }));
      process.stdout.write(yaml.join('---\n'));
    });
}
