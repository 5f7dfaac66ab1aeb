/**
 * Who may reach the pods of a cluster, and whom they may reach: a NetworkPolicy for the head, and one for each worker group. The
 * pods of a cluster always reach one another, and Muster and a RayJob's submitter the dashboard; all else the user allows.
 */
import type { NetworkPolicy, NetworkPolicyPeer, RayNetworkPolicyRules } from '@muster/job-api';
import { networkPolicyName } from '../model/names.ts';
import { headGroup, workerGroups, type ClusterModel, type RayGroup } from '../model/ray-cluster-model.ts';
import { clusterLabels, podSelector, RAY_LABELS } from '../model/ray-labels.ts';
import { dashboardPort } from '../services/head-service.ts';

type Spec = NonNullable<NetworkPolicy['spec']>;
type IngressRule = NonNullable<Spec['ingress']>[number];

/** The label `app.kubernetes.io/name` on the pods of Muster's operator for Ray. */
const OPERATOR_APP = 'muster-ray';

/**
 * None where `spec.networkPolicy` is left out.
 * @param port of the dashboard
 */
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

/** Which directions are closed but for rules. */
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

/** The user's rules for a group: those of its own entry, or else those for all workers. */
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

/** The pods of the Job by which a RayJob submits: it is called as the RayJob. */
function submitter({ labels }: ClusterModel): NetworkPolicyPeer[] {
  const rayJob = labels[RAY_LABELS.originName];
  if (labels[RAY_LABELS.originKind] !== 'RayJob' || rayJob === undefined) return [];
  return [{ podSelector: { matchLabels: { 'batch.kubernetes.io/job-name': rayJob } } }];
}

/** An operator outside of the Kubernetes cluster comes through the API server, whose address nobody knows here. */
function operator({ operatorNamespace }: ClusterModel): NetworkPolicyPeer[] {
  if (operatorNamespace === undefined) return [];
  return [
    {
      namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': operatorNamespace } },
      podSelector: { matchLabels: { [RAY_LABELS.appName]: OPERATOR_APP } },
    },
  ];
}
