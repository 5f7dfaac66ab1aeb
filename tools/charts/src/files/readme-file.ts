/** `README.md` of a framework's chart: installation and values. */
import { FRAMEWORKS, type FrameworkName } from '@muster/job-api';
import { FRAMEWORK_CHARTS } from '../framework-charts.ts';
import type { ValueSchema } from '../values/chart-values.ts';
import { leafValues } from '../values/leaf-values.ts';
import { listOf } from './list-of.ts';

export function readmeFile(framework: FrameworkName, schema: ValueSchema): string {
  const kinds = listOf(FRAMEWORKS[framework].map(({ resource }) => resource.kind));
  return `<!-- Generated from tools/charts by "npm run generate": change that, not this page. -->

# ${framework}

Muster's operator for ${FRAMEWORK_CHARTS[framework].title}: runs ${kinds} on Kubernetes 1.31 or newer.

\`\`\`sh
helm install ${framework} charts/${framework} --namespace muster --create-namespace \\
  --set image.repository=registry.example/muster/${framework}-operator
helm test ${framework} --namespace muster
\`\`\`

Upgrades, smaller scopes, several releases, and jobs after helm uninstall: [docs/administrators/install.md](../../docs/administrators/install.md).

## Values

Names that are not listed here are rejected, except inside values of the types object and list, which are parts of
Kubernetes objects.

${valuesTable(schema)}
`;
}

function valuesTable(schema: ValueSchema): string {
  const rows = leafValues(schema).map(({ path, schema: value }) => [
    `\`${path}\``,
    typeOf(value),
    `\`${JSON.stringify(value.default)}\``,
    value.description ?? '',
  ]);
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(['value', 'type', 'default', 'description']), line(['---', '---', '---', '---']), ...rows.map(line)].join('\n');
}

function typeOf({ type, enum: choices, anyOf }: ValueSchema): string {
  if (choices !== undefined) return choices.map((choice) => `\`${choice === '' ? '""' : String(choice)}\``).join(', ');
  if (type === 'array') return 'list';
  return type ?? anyOf?.map(typeOf).join(' or ') ?? '';
}
