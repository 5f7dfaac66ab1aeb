/** Values of dashboards and alerts. */
import type { FrameworkName } from '@muster/job-api';
import { alerts, type Alert } from '@muster/monitoring';
import * as z from 'zod';
import { subjectOf } from '../subject-of.ts';
import { choice, group, onOff, optionalName, text, textMap } from './value.ts';

/** A duration in the format of Prometheus. */
const PROMETHEUS_DURATION = /^(\d+d)?(\d+h)?(\d+m)?(\d+s)?$/;

const DASHBOARDS = group("Grafana dashboards of the operator and its jobs, as ConfigMaps for the sidecar of Grafana's chart.", {
  enabled: onOff(false, {
    description: 'Create the dashboards. Enable them in only one release of each framework: their uids are the same.',
  }),
  namespace: optionalName({
    description: 'Namespace of the ConfigMaps, if the sidecar does not search all namespaces. Default: that of the release.',
  }),
  label: text('grafana_dashboard', { description: 'Label by which the sidecar finds the ConfigMaps.' }),
  labelValue: text('1', { description: 'Value of the label.' }),
  folderAnnotation: text('grafana_folder', { description: 'Annotation that names the folder for the sidecar.' }),
  folder: text('', { description: 'Folder of the dashboards in Grafana. Default: that of the sidecar.' }),
  annotations: textMap('Further annotations of the ConfigMaps.'),
});

export function monitoringValues(framework: FrameworkName) {
  const rules = alerts(subjectOf(framework)).map((alert) => [alert.name, ruleValues(alert)]);
  return {
    dashboards: DASHBOARDS,
    alerts: group('Alerts about this release, as a PrometheusRule for the Prometheus operator, whose CRDs must be installed.', {
      enabled: onOff(false, { description: 'Create the PrometheusRule.' }),
      labels: textMap('Labels by which Prometheus selects the PrometheusRule.'),
      alertLabels: textMap('Further labels of every alert.'),
      runbookUrl: text('docs/administrators/runbooks', {
        description: "Prefix of each alert's runbook_url: where Muster's docs/administrators/runbooks are published.",
      }),
      rules: group(
        'Settings of each alert. The alerts are described in docs/administrators/runbooks.',
        Object.fromEntries(rules) as Record<string, ReturnType<typeof ruleValues>>,
      ),
    }),
  };
}

function ruleValues({ summary, severity, threshold, for: duration }: Alert) {
  return group(summary, {
    enabled: onOff(true, { description: 'Create this alert.' }),
    for: z.string().regex(PROMETHEUS_DURATION).min(2).default(duration).describe('How long the condition must hold before the alert fires.'),
    severity: choice(['critical', 'warning', 'info'], severity, { description: 'Label severity of the alert.' }),
    ...(threshold === undefined ? {} : { threshold: thresholdValue(threshold) }),
  });
}

function thresholdValue({ value, meaning, isShare = false }: NonNullable<Alert['threshold']>) {
  const number = z.number().min(0);
  return (isShare ? number.max(1) : number).default(value).describe(meaning);
}
