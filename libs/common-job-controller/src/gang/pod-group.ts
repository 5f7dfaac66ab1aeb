import { apiVersionOf, parseQuantity, type KubeObject, type ResourceAmounts, type Resource } from '@muster/job-api';
import type { TrainingJob } from '../model/training-job.ts';
import { mergePatch } from '../model/merge-patch.ts';
import { ownerReference } from '../model/ownership.ts';

interface PodGroup extends KubeObject {
  spec?: { minResources?: ResourceAmounts };
}

const NOT_COPIED = ['kubectl.kubernetes.io/', 'muster.dev/'];

/** As kubeflow/training-operator creates it: with the job's name and annotations. */
export function podGroup<Spec extends object>(resource: Resource, job: TrainingJob, spec: Spec) {
  const annotations = Object.entries(job.metadata.annotations ?? {}).filter(
    ([name]) => !NOT_COPIED.some((prefix) => name.startsWith(prefix)),
  );
  return {
    apiVersion: apiVersionOf(resource),
    kind: resource.kind,
    metadata: {
      name: job.metadata.name,
      namespace: job.metadata.namespace,
      ...(annotations.length > 0 && { annotations: Object.fromEntries(annotations) }),
      ownerReferences: [ownerReference(job)],
    },
    spec,
  };
}

export function podGroupChange(existing: PodGroup, wanted: PodGroup, fields: readonly string[]): object | undefined {
  const { annotations = {} } = existing.metadata ?? {};
  const target = { ...annotations, ...wanted.metadata?.annotations };
  return mergePatch(
    { metadata: { annotations }, spec: only(fields, inFormatOf(wanted, existing)) },
    { metadata: { annotations: target }, spec: only(fields, wanted.spec ?? {}) },
  );
}

/** The spec of `existing` with equal amounts in the format of `wanted`: `1000m` equals `1`. */
function inFormatOf(wanted: PodGroup, { spec = {} }: PodGroup): object {
  if (spec.minResources === undefined) return spec;
  const formats = wanted.spec?.minResources ?? {};
  const amounts = Object.entries(spec.minResources).map(([name, text]) => [
    name,
    isSameAmount(text, formats[name]) ? formats[name] : text,
  ]);
  return { ...spec, minResources: Object.fromEntries(amounts) as ResourceAmounts };
}

function isSameAmount(one: string | number, other: string | number | undefined): boolean {
  const amount = parseQuantity(one);
  return amount !== undefined && other !== undefined && amount.nanos === parseQuantity(other)?.nanos;
}

function only(fields: readonly string[], spec: object): object {
  return Object.fromEntries(Object.entries(spec).filter(([name]) => fields.includes(name)));
}
