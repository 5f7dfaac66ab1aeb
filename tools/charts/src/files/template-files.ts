/** The templates of a framework's chart: each is one of the library chart's. */
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

/** By their path in the chart. */
export function templateFiles(): [path: string, content: string][] {
  return Object.entries(TEMPLATES).map(([file, name]) => [
    `templates/${file}`,
    `{{ include "operator-lib.${name}" . }}\n`,
  ]);
}
