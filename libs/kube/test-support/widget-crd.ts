/** A CRD for tests. Its group is random, so that spec files do not conflict. */
import { randomUUID } from 'node:crypto';
import type { CustomResourceDefinition, KubeObject, Resource } from '@muster/job-api';

export interface Widget extends KubeObject {
  spec?: { size?: number };
  status?: { ready?: boolean };
}

export function widgetCrd(): { crd: CustomResourceDefinition; resource: Resource<Widget> } {
  const group = `${randomUUID()}.example.com`;
  const object = { type: 'object' };
  const properties = {
    spec: { ...object, properties: { size: { type: 'integer', maximum: 10 } } },
    status: { ...object, properties: { ready: { type: 'boolean' } } },
  };
  return {
    resource: { group, version: 'v1', kind: 'Widget', plural: 'widgets', namespaced: true },
    crd: {
      metadata: { name: `widgets.${group}` },
      spec: {
        group,
        scope: 'Namespaced',
        names: { kind: 'Widget', plural: 'widgets' },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            subresources: { status: {} },
            schema: { openAPIV3Schema: { ...object, properties } },
          },
        ],
      },
    },
  };
}
