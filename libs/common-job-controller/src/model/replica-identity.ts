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

/** Pods named `<prefix>-<n>`, where the index n only grows, because the program takes the name for an identity. */
export interface UniqueNames {
  readonly kind: 'UniqueNames';
  readonly prefix: string;
  /** Whether a pod is created while the previous one is still terminating. */
  readonly overlap: boolean;
  /** Whether scaling down deletes only pods named in `ReplicaRole.scaleDownFirst`, because another component chooses them. */
  readonly losesNamedOnly?: boolean;
  /** Whether the pod is up to date. An outdated pod is recreated. Default: it is. */
  isCurrent?(pod: Pod): boolean;
  /** Recorded on the pod. Default: positions are not kept. */
  positionOf?(pod: Pod): Position | undefined;
}

/** A reusable number by which programs count, unlike the index. A new replica gets the smallest free one. */
export interface Position {
  readonly replica: number;
  readonly host: number;
}

/** A Job or StatefulSet named `<job>-<role>` that creates the role's pods. Muster derives it from the pods it would create itself. */
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

export function workloadResourceOf({ identity }: Identified): WorkloadResource | undefined {
  return identity?.kind === 'Job' || identity?.kind === 'StatefulSet' ? identity : undefined;
}

export function isCreatedByMuster(role: Identified): boolean {
  return workloadResourceOf(role) === undefined;
}

export function isUnnumbered({ identity }: Identified): boolean {
  return identity?.kind === 'Unnumbered' || identity?.kind === 'Job';
}
