/** The umbrella chart `muster`: for each framework a switch and the values of its chart, under its name. */
import { FRAMEWORKS, type FrameworkName } from '@muster/job-api';
import type { GeneratedFile } from './generated-file.ts';
import { umbrellaChartFile } from './chart-file.ts';

const NAMES = Object.keys(FRAMEWORKS) as FrameworkName[];

/** By their path in the chart. */
export function umbrellaFiles(version: string): [path: string, content: GeneratedFile][] {
  return [
    ['Chart.yaml', umbrellaChartFile(NAMES, version)],
    ['values.yaml', VALUES],
    ['values.schema.json', `${JSON.stringify(SCHEMA, undefined, 2)}\n`],
    ['README.md', README],
    ['templates/NOTES.txt', NOTES],
    ...NAMES.map((name): [string, GeneratedFile] => [`charts/${name}`, { linkTo: `../../${name}` }]),
  ];
}

const SWITCHES = NAMES.map(
  (name) => `# Values of the chart ${name}. enabled: install this framework.\n${name}:\n  enabled: false\n`,
);

const VALUES = `# Values of all operators.
global:
  # Registry of all images, prepended to image.repository of each framework.
  imageRegistry: ''

${SWITCHES.join('\n')}`;

const SCHEMA = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  type: 'object',
  properties: {
    global: {
      type: 'object',
      properties: { imageRegistry: { type: 'string', description: 'Registry of all images.' } },
    },
    ...Object.fromEntries(
      NAMES.map((name) => [
        name,
        {
          type: 'object',
          description: `Values of the chart ${name}, which has its own schema.`,
          properties: { enabled: { type: 'boolean', description: `Install ${name}.` } },
        },
      ]),
    ),
  },
  additionalProperties: false,
};

const README = `<!-- Generated from tools/charts by "npm run generate": change that, not this page. -->

# muster

The operators of several frameworks in one release. A framework is installed only if its switch is on.

\`\`\`sh
helm install muster charts/muster --namespace muster --create-namespace \\
  --set global.imageRegistry=registry.example \\
${NAMES.slice(0, 2)
  .map((name) => `  --set ${name}.enabled=true --set ${name}.image.repository=muster/${name}-operator`)
  .join(' \\\n')}
\`\`\`

| value | default | values of the framework |
| --- | --- | --- |
| \`global.imageRegistry\` | \`""\` | |
${NAMES.map((name) => `| \`${name}.enabled\` | \`false\` | \`${name}.*\`: those of [${name}](../${name}/README.md#values) |`).join('\n')}

Helm prints a line about each symbolic link in \`charts\`, which has no effect. The packaged chart has no links.

Alternatively, install a release for each framework, which can be upgraded separately: [docs/administrators/install.md](../../docs/administrators/install.md).
`;

const NOTES = `{{- $enabled := list -}}
{{- range $name := list ${NAMES.map((name) => `"${name}"`).join(' ')} -}}
{{- if index $.Values $name "enabled" -}}
{{- $enabled = append $enabled $name -}}
{{- end -}}
{{- end -}}
{{- if empty $enabled -}}
{{- fail "no framework is enabled: enable at least one, for example with --set ${NAMES[0] ?? ''}.enabled=true. Frameworks: ${NAMES.join(', ')}." -}}
{{- end -}}
Operators of this release: {{ join ", " $enabled }}.

To check whether they are ready:
  kubectl --namespace {{ .Release.Namespace }} get deployments --selector app.kubernetes.io/instance={{ .Release.Name }}
  helm test {{ .Release.Name }} --namespace {{ .Release.Namespace }}

If they are not ready, to find the cause:
  kubectl --namespace {{ .Release.Namespace }} logs --selector app.kubernetes.io/instance={{ .Release.Name }} --prefix --tail 5
  kubectl --namespace {{ .Release.Namespace }} describe pods --selector app.kubernetes.io/instance={{ .Release.Name }}

helm uninstall keeps the CRDs, and therefore all jobs.
`;
