/** The operators that run in a cluster: found by the labels that the charts give their pods, with the labels that their metrics get. */
import { type Pod, PODS } from '@muster/job-api';
import type { KubeClient } from '@muster/kube';

export interface OperatorPod {
  readonly namespace: string;
  readonly pod: string;
  readonly port: number;
  /** What a ServiceMonitor of the chart would give. */
  readonly labels: Readonly<Record<string, string>>;
}

const OPERATORS = 'app.kubernetes.io/part-of=muster,app.kubernetes.io/component=operator';

/** The port's name in the charts. */
const PORT_NAME = 'http';

/** @param namespace of the operators; all namespaces unless given */
export async function operatorPods(client: KubeClient, namespace?: string): Promise<OperatorPod[]> {
  const where = namespace === undefined ? {} : { namespace };
  const { items } = await client.list(PODS, { ...where, labelSelector: OPERATORS });
  return items.flatMap((pod) => operatorPod(pod) ?? []);
}

/** Undefined of a pod that has ended or has no address yet. */
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

/** The name of the chart's Service, where no value overrides it. */
function serviceName(labels: Readonly<Record<string, string>>): string {
  const release = labels['app.kubernetes.io/instance'] ?? '';
  const chart = (labels['app.kubernetes.io/name'] ?? '').replace(/^muster-/, '');
  return release.includes(chart) ? release : `${release}-${chart}`;
}
