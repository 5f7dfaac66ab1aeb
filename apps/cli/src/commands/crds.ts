/** `muster crds [framework…]`: prints CustomResourceDefinitions, ready for `kubectl apply -f -`. */
import { crdYaml, FRAMEWORKS } from '@muster/job-api';
import type { Command } from 'commander';
import { out } from '../terminal/output.ts';

export function registerCrdsCommand(program: Command): void {
  const known = Object.keys(FRAMEWORKS);
  program
    .command('crds')
    .description('Print the CustomResourceDefinitions of the given frameworks, or of all, as YAML.')
    .argument('[frameworks...]', known.join(', '))
    .addHelpText(
      'after',
      `
Examples:
  muster crds | kubectl apply -f -
  muster crds pytorch-elastic > crds.yaml
  muster crds pytorch-elastic | kubectl diff -f -`,
    )
    .action(async (frameworks: string[], _options: unknown, command: Command) => {
      const unknown = frameworks.find((framework) => !known.includes(framework));
      if (unknown !== undefined) {
        return command.error(`error: unknown framework "${unknown}"; known are: ${known.join(', ')}`);
      }
      out(await crdYaml(frameworks));
    });
}
