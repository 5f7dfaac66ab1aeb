/** Volcano's PodGroup has no status subresource, so its scheduler writes the status with the rest. */
import type { CustomResourceDefinition, JSONSchemaProps, Resource } from '@muster/job-api';

/** The type of 'kubernetes-types' has underscores in this name. */
const OPEN = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

export function podGroupCrd({ group, version, kind, plural }: Resource): CustomResourceDefinition {
  const isVolcano = group === 'scheduling.volcano.sh';
  const queue: Record<string, JSONSchemaProps> = isVolcano ? { queue: { type: 'string', default: 'default' } } : {};
  const spec: JSONSchemaProps = {
    ...OPEN,
    properties: { ...queue, minMember: { type: 'integer', format: 'int32', ...(!isVolcano && { minimum: 1 }) } },
  };
  return {
    // The group belongs to the Kubernetes project, whose CRDs carry an approval.
    metadata: {
      name: `${plural}.${group}`,
      ...(!isVolcano && {
        annotations: { 'api-approved.kubernetes.io': 'https://github.com/kubernetes-sigs/scheduler-plugins/pull/50' },
      }),
    },
    spec: {
      group,
      scope: 'Namespaced',
      names: { kind, plural, singular: kind.toLowerCase() },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          ...(!isVolcano && { subresources: { status: {} } }),
          schema: { openAPIV3Schema: { type: 'object', properties: { spec, status: OPEN } } },
        },
      ],
    },
  };
}
