/**
 * All generated files of the charts: a chart for each framework, the umbrella chart, and the chart of Volcano's CRDs. Shared templates are in
 * `charts/operator-lib`, written by hand and copied into each chart. CRDs are generated from the API, roles from the permissions that operators
 * declare, dashboards and alerts from the metrics, and values, schema and README from `values`.
 */
import { crdDocument, FRAMEWORKS, type FrameworkName } from '@muster/job-api';
import { alertsFile } from './files/alerts-file.ts';
import { chartFile } from './files/chart-file.ts';
import { dashboardFiles } from './files/dashboard-files.ts';
import { flagsFile } from './files/flags-file.ts';
import type { GeneratedFile } from './files/generated-file.ts';
import { otherFlagsFile } from './files/other-flags-file.ts';
import { permissionsFile } from './files/permissions-file.ts';
import { readmeFile } from './files/readme-file.ts';
import { templateFiles } from './files/template-files.ts';
import { umbrellaFiles } from './files/umbrella-files.ts';
import { volcanoCrdsFiles } from './files/volcano-crds-files.ts';
import { valuesFile } from './files/values-file.ts';
import { valuesSchemaFile } from './files/values-schema-file.ts';
import { jobPoliciesFile } from './tenancy/job-policy-file.ts';
import { chartValues } from './values/chart-values.ts';

const YAML_NOTE = '# Generated from tools/charts by "npm run generate": change that, not this file.\n';

/** By path in the repository. @param version of the charts and of their images */
export async function chartFiles(version: string): Promise<Map<string, GeneratedFile>> {
  const files = new Map<string, GeneratedFile>();
  for (const framework of Object.keys(FRAMEWORKS) as FrameworkName[]) {
    for (const [path, file] of await filesOf(framework, version)) files.set(`charts/${framework}/${path}`, file);
  }
  for (const [path, file] of await volcanoCrdsFiles(version)) {
    files.set(`charts/volcano-crds/${path}`, path.startsWith('crds/') ? CRD_NOTE + file : withNote(path, file));
  }
  for (const [path, file] of umbrellaFiles(version)) files.set(`charts/muster/${path}`, withNote(path, file));
  return files;
}

async function filesOf(framework: FrameworkName, version: string): Promise<[path: string, file: GeneratedFile][]> {
  const values = chartValues(framework);
  const files: [path: string, file: GeneratedFile][] = [
    ['Chart.yaml', chartFile(framework, version)],
    ['README.md', readmeFile(framework, values)],
    ['values.yaml', valuesFile(values)],
    ['values.schema.json', valuesSchemaFile(values)],
    ['files/alerts.yaml', alertsFile(framework)],
    ['files/flags.yaml', flagsFile(values)],
    ['files/job-policies.yaml', jobPoliciesFile(framework)],
    ['files/other-flags.yaml', otherFlagsFile(framework)],
    ['files/permissions.yaml', permissionsFile(framework)],
    ...dashboardFiles(framework),
    ...(await templateFiles()),
  ];
  const crds = FRAMEWORKS[framework].map(async (definition): Promise<[string, string]> => {
    const { group, plural } = definition.resource;
    return [`files/crds/${group}_${plural}.yaml`, CRD_NOTE + (await crdDocument(definition))];
  });
  return [...files.map(([path, file]): [string, GeneratedFile] => [path, withNote(path, file)]), ...(await Promise.all(crds))];
}

const CRD_NOTE = '# Generated from libs/job-api by "npm run generate": change the schema, not this file.\n';

function withNote(path: string, file: GeneratedFile): GeneratedFile {
  const isPlainYaml = path.endsWith('.yaml') && !path.startsWith('templates/');
  return typeof file === 'string' && isPlainYaml ? `${YAML_NOTE}${file}` : file;
}
