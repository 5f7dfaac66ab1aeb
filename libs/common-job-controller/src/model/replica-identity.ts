/** How the replicas of a role are identified: their pods' names, and what creates the pods. */
import type { Pod } from '@muster/job-api';

export type ReplicaIdentity = Numbered | Unnumbered | UniqueNames | WorkloadResource;

/** Pods named `<job>-<role>-<index>`, from 0. A recreated pod gets the same name. */
interface Numbered {
  readonly kind: 'Numbered';
}

/** One pod, named `<job>-<role>`. */
interface Unnumbered {
  readonly kind: 'Unnumbered';
}

/**
 * Pods named `<prefix>-<n>`, where n only grows, because the program takes the name for an identity. A pod's index is its n. A pod created
 * in its place gets another one.
 */
export interface UniqueNames {
  readonly kind: 'UniqueNames';
  readonly prefix: string;
  /** Whether a pod is created while the previous one is still terminating. */
  readonly overlap: boolean;
  /** Whether scaling down deletes only pods named in `ReplicaRole.scaleDownFirst`, because another component chooses them. */
  readonly losesNamedOnly?: boolean;
  /** Whether the pod is up to date. An outdated pod is recreated. Default: it is. */
  isCurrent?(pod: Pod): boolean;
  /** The position recorded on a pod, which never changes. Default: positions are not kept. */
  positionOf?(pod: Pod): Position | undefined;
}

/**
 * A reusable number for a pod of a role with unique names. Programs count by it; it differs from the index. A new replica gets the smallest
 * free number.
 */
export interface Position {
  /** The number of the replica in its role, from 0. */
  readonly replica: number;
  /** The number of the pod in its replica, from 0. */
  readonly host: number;
}

/**
 * A Job or StatefulSet named `<job>-<role>` that creates the role's pods. Muster derives it from the pods it would create itself, and reads
 * the role's state from it.
 */
export interface WorkloadResource {
  /** A Job has one pod. The pods of a StatefulSet never end. */
  readonly kind: 'Job' | 'StatefulSet';
  readonly labels: Readonly<Record<string, string>>;
  /** The object's spec without the template and the fields that Muster sets (`replicas`, `suspend`). */
  readonly spec: object;
}

interface Identified {
  readonly identity?: ReplicaIdentity;
}

export function uniqueNamesOf({ identity }: Identified): UniqueNames | undefined {
  return identity?.kind === 'UniqueNames' ? identity : undefined;
}

/** The Job or StatefulSet that creates the role's pods. Undefined if Muster creates them. */
export function workloadResourceOf({ identity }: Identified): WorkloadResource | undefined {
  return identity?.kind === 'Job' || identity?.kind === 'StatefulSet' ? identity : undefined;
}

export function isMadeByMuster(role: Identified): boolean {
  return workloadResourceOf(role) === undefined;
}

/** Whether the role has one pod, or one Job, named `<job>-<role>`. */
export function isUnnumbered({ identity }: Identified): boolean {
  return identity?.kind === 'Unnumbered' || identity?.kind === 'Job';
}
