/** Allows only the job's own pods to reach its pods, from before the first pod until the job is deleted. */
import { NETWORK_POLICIES, type KubeObject, type NetworkPolicy } from '@muster/job-api';
import type { FrameworkAdapter } from '../contract/adapter.ts';
import { mergePatch } from '../model/merge-patch.ts';
import type { DesiredResource, OwnedKind } from '../model/owned-resources.ts';
import type { TrainingJob } from '../model/training-job.ts';
import { progressPort } from '../progress/reporting-replicas.ts';

/** `DenyAll` also restricts egress to the job's pods and DNS. */
export const JOB_NETWORK_POLICIES = ['None', 'DenyIngress', 'DenyAll'] as const;

export type JobNetworkPolicy = (typeof JOB_NETWORK_POLICIES)[number];

const KIND: OwnedKind<NetworkPolicy> = {
  resource: NETWORK_POLICIES,
  endsWithRun: false,
  trim: ({ metadata, spec }) => ({ ...(metadata && { metadata }), ...(spec && { spec }) }),
};

const DNS = ['UDP', 'TCP'].map((protocol) => ({ port: 53, protocol }));

export function makesNetworkPolicies({ ownedResources }: Pick<FrameworkAdapter, 'ownedResources'>): boolean {
  return ownedResources?.kinds.some(({ resource }) => resource === NETWORK_POLICIES) === true;
}

/** @param operatorNamespace may poll progress. An operator outside of the cluster needs an additional policy. */
export function withNetworkPolicy(
  adapter: FrameworkAdapter,
  policy: JobNetworkPolicy,
  operatorNamespace?: string,
): FrameworkAdapter {
  if (policy === 'None') return adapter;
  const own = adapter.ownedResources;
  return {
    ...adapter,
    madeWith: { ...adapter.madeWith, jobNetworkPolicy: policy, ...(operatorNamespace && { operatorNamespace }) },
    ownedResources: {
      ...own,
      kinds: [...(own?.kinds ?? []), KIND],
      desired: (job, replicas, context) => [
        ...(own?.desired(job, replicas, context) ?? []),
        desiredPolicy(adapter, job, policy, operatorNamespace),
      ],
    },
  };
}

function desiredPolicy(
  adapter: FrameworkAdapter,
  job: TrainingJob,
  policy: JobNetworkPolicy,
  operatorNamespace?: string,
): DesiredResource {
  // Pods of any generation of the kind.
  const { key, values = [] } = adapter.labels.selector;
  const { [key]: _one, ...matchLabels } = adapter.labels.ofJob(job.metadata.name);
  const podSelector = { matchLabels, matchExpressions: [{ key, operator: 'In', values: [...values] }] };
  const isClosed = policy === 'DenyAll';
  const spec: NetworkPolicy['spec'] = {
    podSelector,
    policyTypes: isClosed ? ['Ingress', 'Egress'] : ['Ingress'],
    ingress: [{ from: [{ podSelector }] }, ...progressIngress(adapter, job, operatorNamespace)],
    ...(isClosed && { egress: [{ to: [{ podSelector }] }, { ports: DNS }] }),
  };
  const object: NetworkPolicy = {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    // Jobs of two kinds may have the same name.
    metadata: { name: `${job.metadata.name}-${adapter.resource.kind.toLowerCase()}` },
    spec,
  };
  return {
    resource: NETWORK_POLICIES,
    object,
    change: (existing: KubeObject & Pick<NetworkPolicy, 'spec'>) => {
      const patch = mergePatch(existing.spec ?? {}, spec);
      return patch && { patch: { spec: patch } };
    },
  };
}

function progressIngress({ framework }: FrameworkAdapter, { runPolicy, roles }: TrainingJob, namespace?: string) {
  const ports = [...new Set(roles.flatMap((role) => progressPort(role) ?? []))].sort((a, b) => a - b);
  if (runPolicy.progressDeadlineSeconds === undefined || namespace === undefined || ports.length === 0) return [];
  const operator = {
    namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
    podSelector: { matchLabels: { 'app.kubernetes.io/name': `muster-${framework}` } },
  };
  return [{ from: [operator], ports: ports.map((port) => ({ port, protocol: 'TCP' })) }];
}
