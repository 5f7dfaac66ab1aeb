/** All that is to be known about a kind of job in order to serve it: the schema, and how kubectl shows it. */
import type * as z from 'zod';
import type { KubeObject, Resource } from './kubernetes.ts';

export interface PrinterColumn {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'date';
  readonly jsonPath: string;
  readonly description: string;
  /** Shown only by `kubectl get -o wide`. */
  readonly wide?: boolean;
}

/** Where the numbers stand that `kubectl scale` and autoscalers read and write. */
export interface ScalePaths {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  readonly labelSelectorPath: string;
}

/** One version of a kind's API, and its schema. */
export interface KindVersion<T extends KubeObject = KubeObject> {
  readonly name: string;
  readonly schema: z.ZodType<T>;
  /** Default: none. */
  readonly scale?: ScalePaths;
}

export interface KindDefinition<T extends KubeObject = KubeObject> {
  /** Where the operator reads and writes. Objects are stored in this version. */
  readonly resource: Resource<T>;
  readonly singular: string;
  readonly shortNames: readonly string[];
  /** Of the version that `resource` names. */
  readonly schema: z.ZodType<T>;
  /**
   * All versions that are served, where there are several, that of `resource` among them. No version's objects are
   * converted into another's: each schema has to describe, and so keep, the fields of all.
   */
  readonly versions?: readonly KindVersion<T>[];
  readonly printerColumns: readonly PrinterColumn[];
  /** Of the version that `schema` is of, where there is but one. */
  readonly scale?: ScalePaths;
  /** For the reference page. Default: those of Kubeflow's kinds. */
  readonly words?: KindWords;
}

/** What a kind says beside its fields: each word, and what it means. */
export interface KindWords {
  readonly conditions: Readonly<Record<string, string>>;
  /** Those that stand in conditions, or in `status.reason`. */
  readonly reasons: Readonly<Record<string, string>>;
  /** Of the pods. */
  readonly labels: Readonly<Record<string, string>>;
  /** That the author of an object may give it. */
  readonly annotations: Readonly<Record<string, string>>;
}

/**
 * The scale of the role Worker. `specs` is the field with the roles. A manifest in which that is spelled otherwise has none:
 * the paths are fixed.
 */
export function scaleOfWorkers(specs: string): ScalePaths {
  return {
    specReplicasPath: `.spec.${specs}.Worker.replicas`,
    statusReplicasPath: '.status.replicaStatuses.Worker.active',
    labelSelectorPath: '.status.replicaStatuses.Worker.selector',
  };
}

/** All versions that are served of a kind. */
export function versionsOf<T extends KubeObject>(definition: KindDefinition<T>): readonly KindVersion<T>[] {
  const { resource, schema, scale, versions } = definition;
  return versions ?? [{ name: resource.version, schema, ...(scale && { scale }) }];
}

/** The columns that `kubectl get` shows for every kind of job. */
export const JOB_COLUMNS: readonly PrinterColumn[] = [
  { name: 'State', type: 'string', jsonPath: '.status.state', description: 'The state of the job in one word.' },
  { name: 'Ready', type: 'string', jsonPath: '.status.ready', description: 'How many of the pods are ready.' },
  {
    name: 'Restarts',
    type: 'integer',
    jsonPath: '.status.restartCount',
    description: 'How often replicas were restarted.',
  },
  {
    name: 'Age',
    type: 'date',
    jsonPath: '.metadata.creationTimestamp',
    description: 'How long ago the job was created.',
  },
  {
    name: 'Queue',
    type: 'string',
    jsonPath: '.spec.runPolicy.schedulingPolicy.queue',
    description: "The gang scheduler's queue.",
    wide: true,
  },
  {
    name: 'Waiting',
    type: 'string',
    jsonPath: '.status.conditions[?(@.type=="Waiting")].message',
    description: 'What it waits for.',
    wide: true,
  },
  {
    name: 'Refused',
    type: 'string',
    jsonPath: '.status.conditions[?(@.type=="ReplicaFailure")].message',
    description: 'What cannot be made.',
    wide: true,
  },
  {
    name: 'Message',
    type: 'string',
    jsonPath: '.status.conditions[-1:].message',
    description: 'What happened last.',
    wide: true,
  },
];
