/** The umbrella chart `muster`: a switch for each framework, under whose name are the values of its chart. */
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
  (name) => `# Values of the chart ${name}; enabled says whether it is installed.\n${name}:\n  enabled: false\n`,
);

const VALUES = `# What all operators share.
global:
  # Registry of all images, in front of image.repository of each framework.
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
          description: `Values of the chart ${name}, which has a schema of its own.`,
          properties: { enabled: { type: 'boolean', description: `Whether ${name} is installed.` } },
        },
      ]),
    ),
  },
  additionalProperties: false,
};

const README = `<!-- Generated from tools/charts by "npm run generate": change that, not this page. -->

# muster

The operators of several frameworks in one release. None is installed unless its switch is on: choose what you need.

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

Helm writes a line about each symbolic link in \`charts\`, which has no effect; the packaged chart has none.

A release of its own for each framework does the same, and can be upgraded by itself: [docs/administrators/install.md](../../docs/administrators/install.md).
`;

const NOTES = `{{- $enabled := list -}}
{{- range $name := list ${NAMES.map((name) => `"${name}"`).join(' ')} -}}
{{- if index $.Values $name "enabled" -}}
{{- $enabled = append $enabled $name -}}
{{- end -}}
{{- end -}}
{{- if empty $enabled -}}
{{- fail "no framework is enabled: choose what you need, as with --set ${NAMES[0] ?? ''}.enabled=true; there are ${NAMES.join(', ')}." -}}
{{- end -}}
Operators of this release: {{ join ", " $enabled }}.

Are they ready?
  kubectl --namespace {{ .Release.Namespace }} get deployments --selector app.kubernetes.io/instance={{ .Release.Name }}
  helm test {{ .Release.Name }} --namespace {{ .Release.Namespace }}

If not, why?
  kubectl --namespace {{ .Release.Namespace }} logs --selector app.kubernetes.io/instance={{ .Release.Name }} --prefix --tail 5
  kubectl --namespace {{ .Release.Namespace }} describe pods --selector app.kubernetes.io/instance={{ .Release.Name }}

helm uninstall leaves the CRDs, and so all jobs.
`;
