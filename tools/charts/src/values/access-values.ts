/** Values of metrics, disruption budget, network policy and helm test. */
import * as z from 'zod';
import { group, kubernetesList, onOff, text, textMap, wholeNumber } from './value.ts';

const COUNT_OR_SHARE = z.union([z.int().min(0), z.string().regex(/^(\d+%)?$/)]).default('');

function monitor(kind: string, of: string) {
  return group(`A ${kind} for the Prometheus operator, whose CRDs must be installed.`, {
    enabled: onOff(false, { description: `Create a ${kind} of the ${of}. Enable at most one of the two monitors.` }),
    interval: text('', { description: 'Time between scrapes. Default: that of Prometheus.' }),
    scrapeTimeout: text('', { description: 'Timeout of a scrape. Default: that of Prometheus.' }),
    honorLabels: onOff(false, { description: 'Keep labels of the metrics if they conflict with labels of the scrape.' }),
    labels: textMap('Labels by which Prometheus selects the monitor.'),
    relabelings: kubernetesList('Relabeling of targets before a scrape.'),
    metricRelabelings: kubernetesList('Relabeling of metrics before they are stored.'),
  });
}

/** @param extraEgress of the framework's operator, besides the API server */
export function accessValues(extraEgress: Readonly<Record<string, unknown>>[]) {
  return {
    metrics: group('Metrics, on the same port as the probes.', {
      port: wholeNumber([1, 65535], 8080, {
        flag: 'port',
        description: 'Port of /healthz, /readyz and /metrics.',
      }),
      perJob: onOff(true, {
        flag: 'per-job-metrics',
        description:
          'Export series of single jobs. Turn off if tens of thousands of jobs are too many for Prometheus.',
      }),
      service: group('The Service of the metrics port.', {
        enabled: onOff(true, { description: 'Create the Service. A ServiceMonitor and helm test need it.' }),
        annotations: textMap('Annotations of the Service.'),
      }),
      serviceMonitor: monitor('ServiceMonitor', 'Service'),
      podMonitor: monitor('PodMonitor', 'pods'),
    }),

    podDisruptionBudget: group('PodDisruptionBudget of the operator. Set at most one of the two numbers.', {
      enabled: onOff(false, { description: 'Create the PodDisruptionBudget.' }),
      minAvailable: COUNT_OR_SHARE.describe('Number or percentage of pods that must stay available.'),
      maxUnavailable: COUNT_OR_SHARE.describe('Number or percentage of pods that may be unavailable; 1 if neither is set.'),
    }),

    networkPolicy: group("NetworkPolicy of the operator's pods, if the cluster's network enforces it.", {
      enabled: onOff(false, { description: 'Create the NetworkPolicy.' }),
      ingressFrom: kubernetesList('Peers that may read the metrics. Default: all.'),
      apiServerCIDRs: z
        .array(z.string().regex(/^[0-9a-fA-F.:]+\/\d{1,3}$/))
        .default([])
        .describe('Addresses of the API server. Default: all.'),
      apiServerPorts: z
        .array(z.int().min(1).max(65535))
        .default([443, 6443])
        .describe('Ports of the API server: of its Service, and its own.'),
      extraEgress: kubernetesList('Further egress rules of the operator.', extraEgress),
    }),

    tests: group('Test of the release by helm test.', {
      enabled: onOff(true, { description: 'Let helm test check that the operator is ready.' }),
    }),
  };
}
