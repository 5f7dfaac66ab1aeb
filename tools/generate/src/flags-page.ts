/** Writes the reference of the operators' flags from their declarations, with the values of the charts that set them. */
import { valuesOfFlag } from '@muster/charts';
import { FRAMEWORKS, type FrameworkName } from '@muster/job-api';
import { MPI_FLAGS } from '@muster/mpi/flags';
import { environmentVariable, OPERATOR_FLAGS, type Flag, type FlagSet } from '@muster/operator-host/flags';
import { PYTORCH_FLAGS } from '@muster/pytorch-elastic/flags';

const NAMES = Object.keys(FRAMEWORKS) as FrameworkName[];

const OWN_FLAGS: Partial<Record<FrameworkName, FlagSet>> = { 'pytorch-elastic': PYTORCH_FLAGS, mpi: MPI_FLAGS };

/** The page in Markdown. */
export function flagsPage(): string {
  const own = Object.entries(OWN_FLAGS).map(([framework, flags]) =>
    part(`Only ${framework}`, flags, [framework as FrameworkName]),
  );
  return `${[head(), part('Every operator', OPERATOR_FLAGS, NAMES), ...own].join('\n\n')}\n`;
}

function head(): string {
  return `<!-- Generated from libs/operator-host/src/config.ts and apps/*/src/flags.ts by "npm run generate": change the code, not this page. -->

# Flags of the operators

\`npx muster operator <framework> --help\` prints the flags of one operator.

- **Charts.** The column *chart value* has the value that sets the flag. Set the value instead of the flag. \`operator.extraArgs\` is a list of
  further flags: \`--set 'operator.extraArgs={--host=::1}'\`.
- **Environment.** Each flag has a variable: \`MUSTER_\` and the flag's name in capitals, with \`_\` instead of \`-\`. ${otherVariables()}
  A flag takes precedence over its variable. An empty variable counts as unset.
- **Durations** have units: \`500ms\`, \`15s\`, \`1m30s\`, \`1h\`. **Switches** are true without a value: \`--volcano-jobs\`. **Lists** are
  separated by commas, and their flags may be repeated.
- An unknown flag or an invalid value ends the operator at its start, with exit status 1 and one line that names the flag and the allowed values.`;
}

function part(title: string, flags: FlagSet, frameworks: readonly FrameworkName[]): string {
  const rows = Object.values(flags).map((flag) => row(flag, frameworks));
  const table = ['| flag | default | value | chart value | meaning |', '| --- | --- | --- | --- | --- |', ...rows];
  return `## ${title}\n\n${table.join('\n')}`;
}

function row(flag: Flag, frameworks: readonly FrameworkName[]): string {
  const { name, kind, about } = flag;
  const cells = [code(`--${name}`), code(flag.default), kind.allowed, chartValue(name, frameworks), about];
  return `| ${cells.map(cell).join(' | ')} |`;
}

function chartValue(flag: string, frameworks: readonly FrameworkName[]): string {
  const found = frameworks.map((framework) => ({ framework, ...valuesOfFlag(framework, flag) }));
  const paths = [...new Set(found.flatMap((each) => each.paths))].map(code).join(', ');
  const without = found.filter((each) => each.paths.length === 0);
  const reason = without[0]?.reason ?? '';
  if (without.length === found.length) return `\`operator.extraArgs\`: ${reason}`;
  if (without.length === 0) return paths;
  return `${paths}; none for ${without.map((each) => each.framework).join(', ')}: ${reason}`;
}

/** Flags whose variable has another name. */
function otherVariables(): string {
  const others = Object.values<Flag>(OPERATOR_FLAGS).filter(({ env }) => env !== undefined);
  const named = others.map((flag) => `\`--${flag.name}\` has ${code(environmentVariable(flag)) || 'none'}`);
  return `Exceptions: ${named.join(', ')}.`;
}

function code(text: string | undefined): string {
  return text === undefined || text === '' ? '' : `\`${text}\``;
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;');
}
