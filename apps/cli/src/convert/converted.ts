/** A converted job, and what was lost. */
import type { KubeObject, PodTemplateSpec } from '@muster/job-api';

export interface Manifest extends KubeObject {
  readonly spec?: Readonly<Record<string, unknown>>;
}

export interface Converted {
  readonly manifest: Manifest;
  /** One line each, with the path of the field. */
  readonly lost: readonly string[];
}

/** The spec of a role or a task. */
export interface RoleSpec {
  readonly replicas?: number;
  readonly restartPolicy?: string;
  readonly template?: PodTemplateSpec;
}

/** Name, namespace, labels and annotations, without fields that the API server sets. */
export function keptMetadata({
  name,
  generateName,
  namespace,
  labels,
  annotations,
}: NonNullable<KubeObject['metadata']>) {
  return {
    ...(name !== undefined && { name }),
    ...(generateName !== undefined && { generateName }),
    ...(namespace !== undefined && { namespace }),
    ...(labels && { labels }),
    ...(annotations && { annotations }),
  };
}

/** A line for each field of `object` that is not among `known`, with its explanation in `notes`. */
export function lostFields(
  path: string,
  object: object | undefined,
  known: readonly string[],
  notes: Readonly<Record<string, string>> = {},
): string[] {
  return Object.keys(object ?? {})
    .filter((field) => !known.includes(field))
    .map((field) => `${path}.${field}: left out: ${notes[field] ?? 'the other kind has no equivalent'}`);
}
