/** The optional Ingress to the dashboard. Anyone who reaches it can run any code in Ray, unless a token is required. */
import type { Ingress } from '@muster/job-api';
import { headIngressName, headServiceName, podIdentifier } from '../model/names.ts';
import type { ClusterModel } from '../model/ray-cluster-model.ts';
import { clusterLabels, RAY_LABELS } from '../model/ray-labels.ts';
import { dashboardPort } from './head-service.ts';

const CLASS_ANNOTATION = 'kubernetes.io/ingress.class';

/** Annotations of kubectl and Muster are not settings of an Ingress. */
const NOT_COPIED = /^(kubectl\.kubernetes\.io|muster\.dev|ray\.io)\//;

/** Undefined unless requested. @param port of the dashboard at the head's Service */
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

/** KubeRay's older form without options: ingress-nginx rewrites the rest of the path. */
function wholeDashboard({ name }: ClusterModel): IngressOptions {
  return { path: `/${name}/(.*)`, pathType: 'Exact' };
}

/** The cluster's annotations have the settings of an ingress controller. */
function annotationsOf({ annotations }: ClusterModel): Record<string, string> {
  return Object.fromEntries(
    Object.entries(annotations).filter(([key]) => key !== CLASS_ANNOTATION && !NOT_COPIED.test(key)),
  );
}
