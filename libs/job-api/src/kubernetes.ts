/**
 * Kubernetes' own API types, as they stand in raw JSON: times are strings, nothing is a class.
 *
 * They come from `kubernetes-types`, interfaces without any code, frozen at Kubernetes 1.30. This file is the one
 * place that names that package, so that what newer servers added is declared here and nowhere else.
 */
import type { ObjectMeta as UpstreamObjectMeta } from 'kubernetes-types/meta/v1.js';

export type { LabelSelector, OwnerReference, Status as ApiStatus } from 'kubernetes-types/meta/v1.js';
export type {
  Container,
  ContainerPort,
  ContainerState,
  ContainerStatus,
  EnvVar,
  Node,
  PersistentVolumeClaim,
  Pod,
  PodCondition,
  PodSpec,
  PodTemplateSpec,
  Probe,
  Service,
  ServiceAccount,
  ServicePort,
  Volume,
  VolumeMount,
} from 'kubernetes-types/core/v1.js';
export type { HorizontalPodAutoscaler, MetricSpec } from 'kubernetes-types/autoscaling/v2.js';
export type { Lease } from 'kubernetes-types/coordination/v1.js';
export type { Endpoint, EndpointSlice } from 'kubernetes-types/discovery/v1.js';
export type { Event } from 'kubernetes-types/events/v1.js';
export type { Job } from 'kubernetes-types/batch/v1.js';
export type { Ingress, NetworkPolicy, NetworkPolicyPeer } from 'kubernetes-types/networking/v1.js';
export type { Role, RoleBinding } from 'kubernetes-types/rbac/v1.js';
export type { CustomResourceDefinition, JSONSchemaProps, ValidationRule } from 'kubernetes-types/apiextensions/v1.js';

export type ObjectMeta = UpstreamObjectMeta;

/** What every API object has. `metadata` is always there on an object that an API server returned. */
export interface KubeObject {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta;
}

/** A namespaced (or, without namespace, cluster-scoped) object's name. */
export interface ObjectKey {
  namespace?: string;
  name: string;
}

/**
 * Where the API server keeps one kind of object. `T` is the type of the objects found there; it exists for the
 * compiler only.
 */
export interface Resource<T extends KubeObject = KubeObject> {
  /** API group; empty for the core group. */
  readonly group: string;
  readonly version: string;
  /** Versions in which other clusters serve the same objects, newest first; the client finds out which one is there. */
  readonly otherVersions?: readonly string[];
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
  /** Never set: carries `T`. */
  readonly object?: T;
}

/** `group/version`, or `version` alone in the core group: what stands in an object's `apiVersion`. */
export function apiVersionOf(resource: Pick<Resource, 'group' | 'version'>): string {
  return resource.group === '' ? resource.version : `${resource.group}/${resource.version}`;
}
