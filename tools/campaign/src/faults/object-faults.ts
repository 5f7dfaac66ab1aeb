/** Faults that are changes of objects: by administrators, by users and by the loss of nodes. */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  CUSTOM_RESOURCE_DEFINITIONS,
  crdFor,
  FRAMEWORKS,
  isFrameworkName,
  type KubeObject,
  NODES,
  type Pod,
  PODS,
  type Resource,
} from '@muster/job-api';
import { disturbPod } from '../load/play-load.ts';
import { setQuota } from '../load/queues.ts';
import { chosen } from './chosen.ts';
import type { FaultPlace } from './fault-place.ts';
import type { PlannedFault } from './random-faults.ts';
import { retried } from './retried.ts';

type WithSpec = KubeObject & { readonly spec?: object };

const ADMISSION = { group: 'admissionregistration.k8s.io', version: 'v1', namespaced: false } as const;
const POLICIES: Resource<WithSpec> = {
  ...ADMISSION,
  kind: 'ValidatingAdmissionPolicy',
  plural: 'validatingadmissionpolicies',
};
const BINDINGS: Resource<WithSpec> = {
  ...ADMISSION,
  kind: 'ValidatingAdmissionPolicyBinding',
  plural: 'validatingadmissionpolicybindings',
};
const QUOTAS: Resource<WithSpec> = {
  group: '',
  version: 'v1',
  kind: 'ResourceQuota',
  plural: 'resourcequotas',
  namespaced: true,
};
export const NAMESPACES: Resource = {
  group: '',
  version: 'v1',
  kind: 'Namespace',
  plural: 'namespaces',
  namespaced: false,
};

const MOST_PODS = 8;

/** Pods of jobs, in a random order. */
async function somePods({ client, namespaces }: FaultPlace, { pick }: PlannedFault): Promise<Pod[]> {
  const items = (await Promise.all(namespaces.map((namespace) => client.list(PODS, { namespace })))).flatMap(
    (list) => list.items,
  );
  const from = Math.floor(pick * items.length);
  return [...items.slice(from), ...items.slice(0, from)];
}

export async function disturbPods(
  place: FaultPlace,
  does: Parameters<typeof disturbPod>[2],
  planned: PlannedFault,
): Promise<void> {
  const running = (await somePods(place, planned)).filter(({ status }) => status?.phase === 'Running');
  const some = running.slice(0, Math.ceil(planned.share * MOST_PODS));
  await Promise.allSettled(some.map((pod) => disturbPod(place.client, pod, does)));
}

/** The node and its pods are deleted, as by a cloud's controllers; then a node of the same name registers. */
export async function loseNode({ client }: FaultPlace, { pick, forMs }: PlannedFault): Promise<void> {
  const node = chosen((await client.list(NODES)).items, pick);
  const name = node?.metadata?.name;
  if (name === undefined) return;
  await client.delete(NODES, { name });
  const { items } = await client.list(PODS, { fieldSelector: `spec.nodeName=${name}` });
  await Promise.allSettled(
    items.map(async ({ metadata }) => {
      const key = { name: metadata?.name ?? '', namespace: metadata?.namespace ?? '' };
      const condition = {
        type: 'DisruptionTarget',
        status: 'True',
        reason: 'DeletionByPodGC',
        lastTransitionTime: now(),
      };
      await client.patchStatus(PODS, key, {
        metadata: { uid: metadata?.uid },
        status: { phase: 'Failed', conditions: [condition] },
      });
      await client.delete(PODS, key, {
        gracePeriodSeconds: 0,
        ...(metadata?.uid !== undefined && { uid: metadata.uid }),
      });
    }),
  );
  await sleep(forMs);
  const { capacity, allocatable } = (node?.status ?? {}) as { capacity?: object; allocatable?: object };
  const labels = node?.metadata?.labels;
  const again = { metadata: { name, ...(labels && { labels }) }, status: { capacity, allocatable } } as KubeObject;
  await retried(() => client.create(NODES, again), 'AlreadyExists');
}

export async function limitPods(
  { client, namespaces }: FaultPlace,
  { pick, forMs, index }: PlannedFault,
): Promise<void> {
  const namespace = chosen(namespaces, pick) ?? '';
  const key = { name: `campaign-${index}`, namespace };
  await client.create(QUOTAS, { metadata: key, spec: { hard: { pods: '3', 'count/services': '4' } } });
  await sleep(forMs);
  await retried(() => client.delete(QUOTAS, key), 'NotFound');
}

export async function limitQueue(
  { client, namespaces }: FaultPlace,
  { pick, share, forMs }: PlannedFault,
): Promise<void> {
  const namespace = chosen(namespaces, pick) ?? '';
  await setQuota(client, namespace, Math.round(share * MOST_PODS));
  await sleep(forMs);
  await retried(() => setQuota(client, namespace));
}

export async function refuseObjects(
  { client, namespaces }: FaultPlace,
  { pick, share, forMs, index }: PlannedFault,
): Promise<void> {
  const name = `campaign-${index}`;
  const rule = {
    apiGroups: [''],
    apiVersions: ['v1'],
    operations: ['CREATE'],
    resources: [share < 0.3 ? 'services' : 'pods'],
  };
  const validations = [
    { expression: 'false', message: 'the campaign rejects it', reason: share < 0.4 ? 'Forbidden' : 'Invalid' },
  ];
  const namespaceSelector = { matchLabels: { 'kubernetes.io/metadata.name': chosen(namespaces, pick) ?? '' } };
  try {
    await client.create(POLICIES, {
      metadata: { name },
      spec: { matchConstraints: { resourceRules: [rule] }, validations },
    });
    const spec = { policyName: name, validationActions: ['Deny'], matchResources: { namespaceSelector } };
    await client.create(BINDINGS, { metadata: { name }, spec });
    await sleep(forMs);
  } finally {
    await retried(() => client.delete(BINDINGS, { name }), 'NotFound');
    await retried(() => client.delete(POLICIES, { name }), 'NotFound');
  }
}

export async function deleteNamespace(place: FaultPlace, { pick }: PlannedFault): Promise<void> {
  const name = chosen(place.namespaces, pick) ?? '';
  await retried(() => place.client.delete(NAMESPACES, { name }), 'NotFound', 'Conflict');
  await retried(async () => {
    await place.client.get(NAMESPACES, { name });
    throw new Error(`namespace ${name} still exists`);
  }, 'NotFound');
  await retried(() => place.makeNamespace(name), 'AlreadyExists');
}

/** The schema allows one more field, so that the API server builds and serves it again. */
export async function updateCrd({ client, replicas }: FaultPlace, { pick, index }: PlannedFault): Promise<void> {
  const framework = chosen(replicas, pick)?.framework ?? '';
  if (!isFrameworkName(framework)) return;
  for (const definition of FRAMEWORKS[framework]) {
    const crd = structuredClone(crdFor(definition));
    for (const { schema } of crd.spec.versions) {
      const spec = schema?.openAPIV3Schema?.properties?.['spec'];
      if (spec?.properties) spec.properties[`campaign${index}`] = { type: 'string' };
    }
    await retried(() => client.apply(CUSTOM_RESOURCE_DEFINITIONS, crd, { force: true }));
  }
}

function now(): string {
  return new Date().toISOString();
}
