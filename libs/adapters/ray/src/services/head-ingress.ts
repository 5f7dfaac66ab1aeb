/** The Ingress to the dashboard, for who asks for one. Whoever reaches it may have Ray run any code, unless a token is asked for. */
import type { Ingress } from '@muster/job-api';
import { headIngressName, headServiceName, podIdentifier } from '../model/names.ts';
import type { ClusterModel } from '../model/ray-cluster-model.ts';
import { clusterLabels, RAY_LABELS } from '../model/ray-labels.ts';
import { dashboardPort } from './head-service.ts';

const CLASS_ANNOTATION = 'kubernetes.io/ingress.class';

/** What kubectl and Muster keep of a manifest is none of an Ingress's settings. */
const NOT_COPIED = /^(kubectl\.kubernetes\.io|muster\.dev|ray\.io)\//;

/**
 * Undefined where nobody has asked.
 * @param port of the dashboard at the head's Service
 */
export function headIngress(cluster: ClusterModel, port = dashboardPort(cluster)): Ingress | undefined {
  const { enableIngress, ingressOptions } = cluster.spec.headGroupSpec;
  if (enableIngress !== true) return undefined;
  const { host, path = '/', pathType = 'Prefix', tls } = ingressOptions ?? wholeDashboard(cluster);
  const ingressClassName = cluster.annotations[CLASS_ANNOTATION];
  const backend = { service: { name: headServiceName(cluster), port: { number: port } } };
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    metadata: {
      name: headIngressName(cluster),
      namespace: cluster.namespace,
      labels: { ...clusterLabels(cluster), [RAY_LABELS.identifier]: podIdentifier(cluster, 'head') },
      annotations: annotationsOf(cluster),
    },
    spec: {
      ...(ingressClassName !== undefined && { ingressClassName }),
      rules: [{ ...(host !== undefined && { host }), http: { paths: [{ path, pathType, backend }] } }],
      ...(tls && { tls }),
    },
  };
}

type IngressOptions = NonNullable<ClusterModel['spec']['headGroupSpec']['ingressOptions']>;

/** KubeRay's form from before there were options: the rest of the path is for ingress-nginx to rewrite. */
function wholeDashboard({ name }: ClusterModel): IngressOptions {
  return { path: `/${name}/(.*)`, pathType: 'Exact' };
}

/** Settings of an ingress controller stand in the annotations of the cluster. */
function annotationsOf({ annotations }: ClusterModel): Record<string, string> {
  return Object.fromEntries(
    Object.entries(annotations).filter(([key]) => key !== CLASS_ANNOTATION && !NOT_COPIED.test(key)),
  );
}
