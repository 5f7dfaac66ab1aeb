/** Finds operators in a cluster by the pod labels of the charts, and determines the labels of their metrics. */
import { type Pod, PODS } from '@muster/job-api';
import type { KubeClient } from '@muster/kube';

export interface OperatorPod {
  readonly namespace: string;
  readonly pod: string;
  readonly port: number;
  /** As a ServiceMonitor of the chart sets them. */
  readonly labels: Readonly<Record<string, string>>;
}

const OPERATORS = 'app.kubernetes.io/part-of=muster,app.kubernetes.io/component=operator';

/** Name of the port in the charts. */
const PORT_NAME = 'http';

/** @param namespace default: all namespaces */
export async function operatorPods(client: KubeClient, namespace?: string): Promise<OperatorPod[]> {
  const where = namespace === undefined ? {} : { namespace };
  const { items } = await client.list(PODS, { ...where, labelSelector: OPERATORS });
  return items.flatMap((pod) => operatorPod(pod) ?? []);
}

/** Undefined for a pod that has ended or has no address yet. */
export function operatorPod({ metadata, spec, status }: Pod): OperatorPod | undefined {
  const { namespace = '', name: pod = '', labels = {} } = metadata ?? {};
  if (status?.podIP === undefined || status.phase === 'Succeeded' || status.phase === 'Failed') return undefined;
  for (const container of spec?.containers ?? []) {
    const port = container.ports?.find(({ name }) => name === PORT_NAME)?.containerPort;
    if (port === undefined) continue;
    const instance = `${status.podIP}:${port}`;
    const service = serviceName(labels);
    return {
      namespace,
      pod,
      port,
      labels: { job: service, service, namespace, pod, container: container.name, endpoint: PORT_NAME, instance },
    };
  }
  return undefined;
}

/** Name of the chart's Service, unless values override it. */
function serviceName(labels: Readonly<Record<string, string>>): string {
  const release = labels['app.kubernetes.io/instance'] ?? '';
  const chart = (labels['app.kubernetes.io/name'] ?? '').replace(/^muster-/, '');
  return release.includes(chart) ? release : `${release}-${chart}`;
}
