/**
 * A NetworkPolicy for the head, and one for each worker group. They always allow connections between the cluster's
 * pods, and from Muster and a RayJob's submitter to the dashboard; the user allows everything else.
 */
import type { NetworkPolicy, NetworkPolicyPeer, RayNetworkPolicyRules } from '@muster/job-api';
import { networkPolicyName } from '../model/names.ts';
import { headGroup, workerGroups, type ClusterModel, type RayGroup } from '../model/ray-cluster-model.ts';
import { clusterLabels, podSelector, RAY_LABELS } from '../model/ray-labels.ts';
import { dashboardPort } from '../services/head-service.ts';

type Spec = NonNullable<NetworkPolicy['spec']>;
type IngressRule = NonNullable<Spec['ingress']>[number];

/** The label `app.kubernetes.io/name` of the pods of Muster's Ray operator. */
const OPERATOR_APP = 'muster-ray';

/** None without `spec.networkPolicy`. @param port of the dashboard */
export function networkPolicies(cluster: ClusterModel, port = dashboardPort(cluster)): NetworkPolicy[] {
  const { networkPolicy } = cluster.spec;
  if (networkPolicy === undefined) return [];
  return [headGroup(cluster), ...workerGroups(cluster)].map((group) => ({
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: {
      name: networkPolicyName(cluster, group),
      namespace: cluster.namespace,
      labels: { ...clusterLabels(cluster), ...podSelector(cluster, group) },
    },
    spec: policySpec(cluster, group, port),
  }));
}

/** Directions that only rules open. */
export function closedDirections({ spec }: ClusterModel): readonly ('Ingress' | 'Egress')[] {
  switch (spec.networkPolicy?.mode ?? 'DenyAll') {
    case 'DenyAll':
      return ['Ingress', 'Egress'];
    case 'DenyAllIngress':
      return ['Ingress'];
    case 'DenyAllEgress':
      return ['Egress'];
  }
}

/** The group's own rules, or else those for all workers. */
export function rulesOf({ spec }: ClusterModel, group: RayGroup): RayNetworkPolicyRules {
  const { head, worker, workerGroups: own } = spec.networkPolicy ?? {};
  if (group.kind === 'head') return head ?? {};
  return own?.find(({ groupName }) => groupName === group.name) ?? worker ?? {};
}

function policySpec(cluster: ClusterModel, group: RayGroup, port: number): Spec {
  const { ingressRules = [], egressRules = [] } = rulesOf(cluster, group);
  const ofCluster = [{ podSelector: { matchLabels: { [RAY_LABELS.cluster]: cluster.name } } }];
  const closed = closedDirections(cluster);
  const toDashboard = group.kind === 'head' ? dashboardRules(cluster, port) : [];
  return {
    podSelector: { matchLabels: podSelector(cluster, group) },
    policyTypes: [...closed],
    ...(closed.includes('Ingress') && { ingress: [{ from: ofCluster }, ...toDashboard, ...ingressRules] }),
    ...(closed.includes('Egress') && { egress: [{ to: ofCluster }, ...egressRules] }),
  };
}

function dashboardRules(cluster: ClusterModel, port: number): IngressRule[] {
  const from = [...submitter(cluster), ...operator(cluster)];
  return from.length === 0 ? [] : [{ from, ports: [{ protocol: 'TCP', port }] }];
}

/** The pods of the submitter's Job, which has the RayJob's name. */
function submitter({ labels }: ClusterModel): NetworkPolicyPeer[] {
  const rayJob = labels[RAY_LABELS.originName];
  if (labels[RAY_LABELS.originKind] !== 'RayJob' || rayJob === undefined) return [];
  return [{ podSelector: { matchLabels: { 'batch.kubernetes.io/job-name': rayJob } } }];
}

/** An operator outside the Kubernetes cluster connects through the API server, whose address is unknown here. */
function operator({ operatorNamespace }: ClusterModel): NetworkPolicyPeer[] {
  if (operatorNamespace === undefined) return [];
  return [
    {
      namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': operatorNamespace } },
      podSelector: { matchLabels: { [RAY_LABELS.appName]: OPERATOR_APP } },
    },
  ];
}
