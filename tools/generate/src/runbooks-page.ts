/** Writes the list of alerts, which leads to the page of each. */
import { alerts } from '@muster/monitoring';

const HEAD = `<!-- Generated from tools/monitoring by "npm run generate": change the alerts, not this page. -->

# Runbooks

A page for each alert that the charts have with \`alerts.enabled=true\` ([install.md](../install.md#dashboards-and-alerts)): the symptom, where to
look, how to mend it. \`critical\` means that jobs are not looked after, \`warning\` that somebody should look today. In the pages

- \`<namespace>\`, \`<kind>\` and \`<job>\` are the labels \`job_namespace\`, \`kind\` and \`job_name\` of the alert;
- \`$NS\` is the namespace of the operator: the label \`namespace\` of the alert. \`$RELEASE\` is the Helm release there (\`helm -n $NS list\`),
  \`$DEPLOY\` its Deployment and \`$OPERATOR\` the label selector of its pods:

\`\`\`sh
NS=muster RELEASE=pytorch-elastic
DEPLOY=$(kubectl -n $NS get deployments -l app.kubernetes.io/instance=$RELEASE -o 'jsonpath={.items[*].metadata.name}')
OPERATOR=app.kubernetes.io/component=operator,app.kubernetes.io/instance=$RELEASE
\`\`\`

Commands that read logs read those of all pods of the operator: the pod that leads has most of it.

How long it has to be so, the severity and the threshold are values of the chart: \`alerts.rules.<alert>\`.
`;

/** The page in Markdown. */
export function runbooksPage(): string {
  const rows = alerts({ title: 'a framework', kinds: [], isElastic: true, tellsProgress: true }).map(
    ({ name, severity, for: duration, threshold, summary }) =>
      `| [${name}](${name}.md) | ${severity} | ${duration} | ${threshold === undefined ? '' : `${threshold.value}: ${threshold.meaning}`} | ${summary} |`,
  );
  const table = ['| alert | severity | after | threshold | says |', '| --- | --- | --- | --- | --- |', ...rows];
  return `${HEAD}\n${table.join('\n')}\n`;
}
