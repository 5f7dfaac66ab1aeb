/** How the replicas of a role are told apart: what their pods are called, and what makes the pods. */
import type { Pod } from '@muster/job-api';

export type ReplicaIdentity = Numbered | Unnumbered | UniqueNames | WorkloadResource;

/** Pods called `<job>-<role>-<index>`, from 0. A pod made in place of another has the same name. */
interface Numbered {
  readonly kind: 'Numbered';
}

/** One pod, called `<job>-<role>`. */
interface Unnumbered {
  readonly kind: 'Unnumbered';
}

/**
 * Pods called `<prefix>-<n>`, where n only grows, because what runs in them takes the name for an identity. The index of a pod is its n,
 * for its life; a pod made in its place has another.
 */
export interface UniqueNames {
  readonly kind: 'UniqueNames';
  readonly prefix: string;
  /** Whether a pod is made while the one before it is still going. */
  readonly overlap: boolean;
  /** Whether only pods named in `ReplicaRole.scaleDownFirst` go when the role is scaled down: somebody else chooses them. */
  readonly losesNamedOnly?: boolean;
  /** Whether the role would still be given this pod; one that it would not is recreated. Default: it would. */
  isCurrent?(pod: Pod): boolean;
  /** The position that a pod says it has, and keeps for its life. Default: positions are not kept. */
  positionOf?(pod: Pod): Position | undefined;
}

/**
 * The place of a pod among those that a role has at a time: numbers that programs count by, and that come again, other than its
 * index. A replica made in place of one that is gone has the smallest number that is free.
 */
export interface Position {
  /** Which replica of the role it is of, from 0. */
  readonly replica: number;
  /** Which pod of its replica it is, from 0. */
  readonly host: number;
}

/**
 * An object of Kubernetes called `<job>-<role>` that makes the role's pods: Muster makes it out of the pods that it would have made, and
 * reads in it how the role is doing.
 */
export interface WorkloadResource {
  /** Either a Job, of one pod, or a StatefulSet, whose pods never end. */
  readonly kind: 'Job' | 'StatefulSet';
  readonly labels: Readonly<Record<string, string>>;
  /** Of the object's spec all but the template, and what Muster says itself (`replicas`, `suspend`). */
  readonly spec: object;
}

interface Identified {
  readonly identity?: ReplicaIdentity;
}

export function uniqueNamesOf({ identity }: Identified): UniqueNames | undefined {
  return identity?.kind === 'UniqueNames' ? identity : undefined;
}

/** What of Kubernetes' own makes the role's pods. Undefined where Muster makes them itself. */
export function workloadResourceOf({ identity }: Identified): WorkloadResource | undefined {
  return identity?.kind === 'Job' || identity?.kind === 'StatefulSet' ? identity : undefined;
}

/** Whether Muster makes the role's pods itself, and no Job or StatefulSet does. */
export function isMadeByMuster(role: Identified): boolean {
  return workloadResourceOf(role) === undefined;
}

/** Whether the role has one pod, called `<job>-<role>`, or one Job of that name. */
export function isUnnumbered({ identity }: Identified): boolean {
  return identity?.kind === 'Unnumbered' || identity?.kind === 'Job';
}
