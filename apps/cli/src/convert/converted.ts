/** A job in the other form, and what of it the other form cannot say. */
import type { KubeObject, PodTemplateSpec } from '@muster/job-api';

export interface Manifest extends KubeObject {
  readonly spec?: Readonly<Record<string, unknown>>;
}

export interface Converted {
  readonly manifest: Manifest;
  /** One line each, with the path of the field. */
  readonly lost: readonly string[];
}

/** Of a role, or a task. */
export interface RoleSpec {
  readonly replicas?: number;
  readonly restartPolicy?: string;
  readonly template?: PodTemplateSpec;
}

/** Name, labels and annotations: the rest is the API server's. */
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

/** A line for each field of `object` that is not among `known`, with what `words` says of it. */
export function lostFields(
  path: string,
  object: object | undefined,
  known: readonly string[],
  words: Readonly<Record<string, string>> = {},
): string[] {
  return Object.keys(object ?? {})
    .filter((field) => !known.includes(field))
    .map((field) => `${path}.${field}: is left out: ${words[field] ?? 'the other form has nothing like it'}`);
}
