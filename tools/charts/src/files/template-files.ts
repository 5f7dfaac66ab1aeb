/** Templates of a framework's chart. Each includes a template of charts/operator-lib, of which every chart has a copy. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

const LIBRARY = join(import.meta.dirname, '../../../../charts/operator-lib/templates');

const LIBRARY_NOTE = '{{/* Generated from charts/operator-lib by "npm run generate": change its templates, not this file. */}}\n';

const TEMPLATES = {
  'NOTES.txt': 'notes',
  'alerts.yaml': 'alerts',
  'crds.yaml': 'crds',
  'dashboards.yaml': 'dashboards',
  'deployment.yaml': 'deployment',
  'extra-objects.yaml': 'extraObjects',
  'job-policy.yaml': 'jobPolicy',
  'monitor.yaml': 'monitor',
  'network-policy.yaml': 'networkPolicy',
  'people-roles.yaml': 'peopleRoles',
  'pod-disruption-budget.yaml': 'podDisruptionBudget',
  'rbac.yaml': 'rbac',
  'service.yaml': 'service',
  'tests/ready.yaml': 'test',
};

/** By path in the chart. */
export async function templateFiles(): Promise<[path: string, content: string][]> {
  const included = Object.entries(TEMPLATES).map(([file, name]): [string, string] => [
    `templates/${file}`,
    `{{ include "operator-lib.${name}" . }}\n`,
  ]);
  return [['templates/_operator-lib.tpl', await library()], ...included];
}

/** A copy instead of a link, because Helm prints a line about each link at every command. */
async function library(): Promise<string> {
  const names = (await readdir(LIBRARY)).toSorted();
  const texts = await Promise.all(names.map((name) => readFile(join(LIBRARY, name), 'utf8')));
  return [LIBRARY_NOTE, ...texts].join('\n');
}
