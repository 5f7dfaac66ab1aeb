/** Everything needed to serve a kind of job: its schema, and its columns in kubectl. */
import type * as z from 'zod';
import type { KubeObject, Resource } from './kubernetes.ts';

export interface PrinterColumn {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'date' | 'boolean';
  readonly jsonPath: string;
  readonly description: string;
  /** Shown only by `kubectl get -o wide`. */
  readonly wide?: boolean;
}

/** Paths of the scale subresource, for `kubectl scale` and autoscalers. */
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
  /** Resource that the operator reads and writes. Objects are stored in this version. */
  readonly resource: Resource<T>;
  readonly singular: string;
  readonly shortNames: readonly string[];
  /** Schema of the version of `resource`. */
  readonly schema: z.ZodType<T>;
  /**
   * All served versions, if there are several, including that of `resource`. Objects are not converted between
   * versions, so each schema must describe the fields of all versions.
   */
  readonly versions?: readonly KindVersion<T>[];
  readonly printerColumns: readonly PrinterColumn[];
  /** Scale subresource, if there is only one version. */
  readonly scale?: ScalePaths;
  /** For the reference page. Default: those of Kubeflow's kinds. */
  readonly vocabulary?: KindVocabulary;
}

/** Conditions, reasons, labels and annotations of a kind, with their meanings. */
export interface KindVocabulary {
  readonly conditions: Readonly<Record<string, string>>;
  /** Reasons of conditions, or of `status.reason`. */
  readonly reasons: Readonly<Record<string, string>>;
  /** Labels of the pods. */
  readonly labels: Readonly<Record<string, string>>;
  /** Annotations that users may set. */
  readonly annotations: Readonly<Record<string, string>>;
}

/**
 * Scale subresource of the role Worker; `specs` is the field with the roles. Manifests that spell the role differently
 * have none, because the paths are fixed.
 */
export function scaleOfWorkers(specs: string): ScalePaths {
  return {
    specReplicasPath: `.spec.${specs}.Worker.replicas`,
    statusReplicasPath: '.status.replicaStatuses.Worker.active',
    labelSelectorPath: '.status.replicaStatuses.Worker.selector',
  };
}

/** All served versions of a kind. */
export function versionsOf<T extends KubeObject>(definition: KindDefinition<T>): readonly KindVersion<T>[] {
  const { resource, schema, scale, versions } = definition;
  return versions ?? [{ name: resource.version, schema, ...(scale && { scale }) }];
}

/** The columns that `kubectl get` shows for every kind of job. */
export const JOB_COLUMNS: readonly PrinterColumn[] = [
  { name: 'State', type: 'string', jsonPath: '.status.state', description: 'State of the job.' },
  { name: 'Ready', type: 'string', jsonPath: '.status.ready', description: 'Number of ready pods and of all pods.' },
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
    description: 'Time since the job was created.',
  },
  {
    name: 'Queue',
    type: 'string',
    jsonPath: '.spec.runPolicy.schedulingPolicy.queue',
    description: 'Queue of the gang scheduler.',
    wide: true,
  },
  {
    name: 'Goodput',
    type: 'string',
    jsonPath: '.status.timeAccounts.goodput',
    description: 'Productive time as a percentage of all time except Suspended and Queued.',
    wide: true,
  },
  {
    name: 'Waiting',
    type: 'string',
    jsonPath: '.status.conditions[?(@.type=="Waiting")].message',
    description: 'What the job waits for.',
    wide: true,
  },
  {
    name: 'Refused',
    type: 'string',
    jsonPath: '.status.conditions[?(@.type=="ReplicaFailure")].message',
    description: 'What cannot be created, and why.',
    wide: true,
  },
  {
    name: 'Message',
    type: 'string',
    jsonPath: '.status.conditions[-1:].message',
    description: 'Message of the newest condition.',
    wide: true,
  },
];
