/** Values of what people watch the operator by. */
import type { FrameworkName } from '@muster/job-api';
import { alerts, type Alert } from '@muster/monitoring';
import * as z from 'zod';
import { subjectOf } from '../subject-of.ts';
import { choice, group, onOff, optionalName, text, textMap } from './value.ts';

/** A duration as Prometheus writes it. */
const PROMETHEUS_DURATION = /^(\d+d)?(\d+h)?(\d+m)?(\d+s)?$/;

const DASHBOARDS = group("Grafana's dashboards of the operator and its jobs, as ConfigMaps for the sidecar of Grafana's chart.", {
  enabled: onOff(false, {
    description: 'Whether there are any. Of several releases of one framework only one should have them: their uids are the same.',
  }),
  namespace: optionalName({
    description: 'Where the ConfigMaps are, if the sidecar does not look everywhere; that of the release unless set.',
  }),
  label: text('grafana_dashboard', { description: 'The label by which the sidecar finds them.' }),
  labelValue: text('1', { description: 'Its value.' }),
  folderAnnotation: text('grafana_folder', { description: 'The annotation by which the sidecar knows the folder.' }),
  folder: text('', { description: "Folder of the dashboards in Grafana; the sidecar's own unless set." }),
  annotations: textMap('Further annotations.'),
});

export function monitoringValues(framework: FrameworkName) {
  const rules = alerts(subjectOf(framework)).map((alert) => [alert.name, ruleValues(alert)]);
  return {
    dashboards: DASHBOARDS,
    alerts: group('Alerts about this release, as a PrometheusRule for the Prometheus operator, whose CRDs have to be there.', {
      enabled: onOff(false, { description: 'Whether there are any.' }),
      labels: textMap('Labels by which Prometheus finds the PrometheusRule.'),
      alertLabels: textMap('Further labels of every alert.'),
      runbookUrl: text('docs/administrators/runbooks', {
        description: "Where your people read Muster's docs/administrators/runbooks: the beginning of each alert's runbook_url.",
      }),
      rules: group(
        'Each alert, with its page in docs/administrators/runbooks.',
        Object.fromEntries(rules) as Record<string, ReturnType<typeof ruleValues>>,
      ),
    }),
  };
}

function ruleValues({ summary, severity, threshold, for: duration }: Alert) {
  return group(summary, {
    enabled: onOff(true, { description: 'Whether there is this alert.' }),
    for: z.string().regex(PROMETHEUS_DURATION).min(2).default(duration).describe('How long it has to be so.'),
    severity: choice(['critical', 'warning', 'info'], severity, { description: 'Its label severity.' }),
    ...(threshold === undefined ? {} : { threshold: z.number().min(0).default(threshold.value).describe(threshold.meaning) }),
  });
}
