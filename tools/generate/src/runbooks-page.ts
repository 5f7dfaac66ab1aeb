/** Generates the list of alerts, with a link to the page of each. */
import { alerts } from '@muster/monitoring';

const HEAD = `<!-- Generated from tools/monitoring by "npm run generate": change the alerts, not this page. -->

# Runbooks

Each alert of the charts (\`alerts.enabled=true\`, [install.md](../install.md#dashboards-and-alerts)) has a page: meaning, impact, diagnosis and
mitigation. Act at once on \`critical\`: jobs are not reconciled. Act on \`warning\` within the day.

- \`<namespace>\`, \`<kind>\` and \`<job>\` are the alert's labels \`job_namespace\`, \`kind\` and \`job_name\`.
- \`$NS\` is the operator's namespace, the alert's label \`namespace\`. \`$RELEASE\` is the Helm release there (\`helm -n $NS list\`),
  \`$DEPLOY\` its Deployment, and \`$OPERATOR\` the label selector of its pods:

\`\`\`sh
NS=muster RELEASE=pytorch-elastic
DEPLOY=$(kubectl -n $NS get deployments -l app.kubernetes.io/instance=$RELEASE -o 'jsonpath={.items[*].metadata.name}')
OPERATOR=app.kubernetes.io/component=operator,app.kubernetes.io/instance=$RELEASE
\`\`\`

Commands that print logs print those of all pods of the operator. The leader logs most.

Severity, duration (\`for\`) and threshold are values of the chart: \`alerts.rules.<alert>\`.
`;

export function runbooksPage(): string {
  const kinds = ['RayCronJob', 'RayService'];
  const rows = alerts({ title: 'a framework', kinds, isElastic: true, tellsProgress: true }).map(
    ({ name, severity, for: duration, threshold, summary }) =>
      `| [${name}](${name}.md) | ${severity} | ${duration} | ${threshold === undefined ? '' : `${threshold.value}: ${threshold.meaning}`} | ${summary} |`,
  );
  const table = ['| alert | severity | for | threshold | summary |', '| --- | --- | --- | --- | --- |', ...rows];
  return `${HEAD}\n${table.join('\n')}\n`;
}
