/**
 * Kubernetes' API types as raw JSON: times are strings, and there are no classes.
 *
 * They come from `kubernetes-types`, frozen at Kubernetes 1.30. Only this file imports that package, and declares what
 * newer servers added.
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

/** Fields of every API object. Objects that an API server returned always have `metadata`. */
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

/** REST location of one kind of object. `T`, the type of the objects, exists only for the compiler. */
export interface Resource<T extends KubeObject = KubeObject> {
  /** API group; empty for the core group. */
  readonly group: string;
  readonly version: string;
  /** Versions in which other clusters serve the same objects, newest first; the client detects which one is served. */
  readonly otherVersions?: readonly string[];
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
  /** Never set: carries `T`. */
  readonly object?: T;
}

/** Value of an object's `apiVersion`: `group/version`, or only `version` in the core group. */
export function apiVersionOf(resource: Pick<Resource, 'group' | 'version'>): string {
  return resource.group === '' ? resource.version : `${resource.group}/${resource.version}`;
}
