/** The built-in resources that Muster reads or writes. */
import type { CustomResourceDefinition, Event, Lease, Node, Pod, Resource, Service } from './kubernetes.ts';

export const PODS: Resource<Pod> = { group: '', version: 'v1', kind: 'Pod', plural: 'pods', namespaced: true };

export const SERVICES: Resource<Service> = {
  group: '',
  version: 'v1',
  kind: 'Service',
  plural: 'services',
  namespaced: true,
};

export const NODES: Resource<Node> = { group: '', version: 'v1', kind: 'Node', plural: 'nodes', namespaced: false };

export const LEASES: Resource<Lease> = {
  group: 'coordination.k8s.io',
  version: 'v1',
  kind: 'Lease',
  plural: 'leases',
  namespaced: true,
};

export const EVENTS: Resource<Event> = {
  group: 'events.k8s.io',
  version: 'v1',
  kind: 'Event',
  plural: 'events',
  namespaced: true,
};

export const CUSTOM_RESOURCE_DEFINITIONS: Resource<CustomResourceDefinition> = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  namespaced: false,
};
