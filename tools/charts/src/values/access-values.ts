/** Values that say who reaches the operator, and whom it reaches: metrics, disruptions, networks, the test. */
import * as z from 'zod';
import { group, kubernetesList, onOff, text, textMap, wholeNumber } from './value.ts';

const COUNT_OR_SHARE = z.union([z.int().min(0), z.string().regex(/^(\d+%)?$/)]).default('');

function monitor(kind: string, of: string) {
  return group(`A ${kind} for the Prometheus operator, whose CRDs have to be there.`, {
    enabled: onOff(false, { description: `Whether there is one, of the ${of}. Choose one of the two monitors.` }),
    interval: text('', { description: "Time between scrapes; Prometheus' own unless set." }),
    scrapeTimeout: text('', { description: "How long a scrape may take; Prometheus' own unless set." }),
    honorLabels: onOff(false, { description: "Whether labels of the metrics win over Prometheus' own." }),
    labels: textMap('Labels by which Prometheus finds the monitor.'),
    relabelings: kubernetesList('Changes of labels before a scrape.'),
    metricRelabelings: kubernetesList('Changes of labels before metrics are stored.'),
  });
}

/** @param extraEgress what the framework's operator talks to besides the API server */
export function accessValues(extraEgress: Readonly<Record<string, unknown>>[]) {
  return {
    metrics: group('Metrics, on the port that also has the probes.', {
      port: wholeNumber([1, 65535], 8080, {
        flag: 'port',
        description: 'Port of /healthz, /readyz and /metrics.',
      }),
      perJob: onOff(true, {
        flag: 'per-job-metrics',
        description:
          'Gauges of each job by itself. Turn off where tens of thousands of jobs are too much for Prometheus.',
      }),
      service: group('The Service of that port.', {
        enabled: onOff(true, { description: 'Whether there is one. A ServiceMonitor and helm test need it.' }),
        annotations: textMap('Its annotations.'),
      }),
      serviceMonitor: monitor('ServiceMonitor', 'Service'),
      podMonitor: monitor('PodMonitor', 'pods'),
    }),

    podDisruptionBudget: group('How many of the pods a drain may take at a time. At most one of the two numbers.', {
      enabled: onOff(false, { description: 'Whether there is one.' }),
      minAvailable: COUNT_OR_SHARE.describe('Pods, or a share of them, that have to stay.'),
      maxUnavailable: COUNT_OR_SHARE.describe('Pods, or a share of them, that may be away; 1 if neither is set.'),
    }),

    networkPolicy: group("Whom the operator's pods talk to, where the cluster's network enforces it.", {
      enabled: onOff(false, { description: 'Whether there is one.' }),
      ingressFrom: kubernetesList('Who may read the metrics, as peers of a NetworkPolicy; everybody unless set.'),
      apiServerCIDRs: z
        .array(z.string().regex(/^[0-9a-fA-F.:]+\/\d{1,3}$/))
        .default([])
        .describe('Addresses of the API server; any address unless set.'),
      apiServerPorts: z
        .array(z.int().min(1).max(65535))
        .default([443, 6443])
        .describe('Ports of the API server, that of its Service and its own.'),
      extraEgress: kubernetesList('Further rules of what the operator may reach.', extraEgress),
    }),

    tests: group('helm test.', {
      enabled: onOff(true, { description: 'Whether helm test asks the operator if it is ready.' }),
    }),
  };
}
