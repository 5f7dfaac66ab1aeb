/** `muster shadow report`: what the operators in shadow mode have found. */
import { Option, type Command } from 'commander';
import { inSession, withAccessOptions, type AccessOptions } from '../session.ts';
import { shadowReports } from '../shadow/read-reports.ts';
import { shadowPage } from '../shadow/shadow-page.ts';
import { objectText } from '../terminal/object-text.ts';
import { out } from '../terminal/output.ts';

interface Options extends AccessOptions {
  readonly namespace?: string;
  readonly operatorNamespace?: string;
  readonly output: 'table' | 'json';
}

export function registerShadowCommands(program: Command): void {
  const shadow = program.command('shadow').description('Compare Muster with the operator that runs the jobs.');
  withAccessOptions(shadow.command('report'))
    .description(
      "Print how the work of other operators differs from Muster's plans, as Muster's operators in shadow mode (shadow.enabled of " +
        'their charts, --shadow) have found it. Needs the permissions to list pods and to get pods/proxy in their namespace.',
    )
    .option('-n, --namespace <name>', 'only jobs in this namespace (default: all)')
    .option('--operator-namespace <name>', 'namespace of the operators (default: all)')
    .addOption(new Option('-o, --output <form>', 'output format').choices(['table', 'json']).default('table'))
    .addHelpText(
      'after',
      `
Examples:
  muster shadow report
  muster shadow report -n team --operator-namespace muster
  muster shadow report -o json | jq '.[].kinds[].unknown'`,
    )
    .action(({ namespace, operatorNamespace, output, ...access }: Options) =>
      inSession(access, async (session) => {
        const reports = await shadowReports(session, { namespace, operatorNamespace });
        out(output === 'json' ? objectText(reports, 'json') : shadowPage(reports));
      }),
    );
}
