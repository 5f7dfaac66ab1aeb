/** CRDs of other operators for the same kinds. */
import type { CustomResourceDefinition, Resource } from '@muster/job-api';

const text = { type: 'string' };
const time = { type: 'string', format: 'date-time' };
const count = { type: 'integer', format: 'int32' };
const anything = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

/** The fields of `JobStatus` in kubeflow.org_pytorchjobs.yaml and its siblings, release 1.9. */
export const UPSTREAM_STATUS = {
  type: 'object',
  properties: {
    conditions: {
      type: 'array',
      items: {
        type: 'object',
        required: ['status', 'type'],
        properties: {
          type: text,
          status: text,
          reason: text,
          message: text,
          lastUpdateTime: time,
          lastTransitionTime: time,
        },
      },
    },
    replicaStatuses: {
      type: 'object',
      additionalProperties: {
        type: 'object',
        properties: { active: count, succeeded: count, failed: count, selector: text, labelSelector: anything },
      },
    },
    startTime: time,
    completionTime: time,
    lastReconcileTime: time,
  },
};

interface UpstreamSchema {
  readonly spec?: object;
  readonly status: object;
}

/** The API server drops every status field that is not listed. @param spec default: accepts everything */
export function upstreamCrd(
  { group, version, kind, plural }: Resource,
  { spec = anything, status }: UpstreamSchema,
): CustomResourceDefinition {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      names: { kind, listKind: `${kind}List`, plural, singular: kind.toLowerCase() },
      scope: 'Namespaced',
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', properties: { spec, status } } },
          subresources: { status: {} },
        },
      ],
    },
  };
}
