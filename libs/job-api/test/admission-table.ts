/**
 * Manifests that admission refuses or accepts, and what it says: for each kind one table, which the API server (CRD and
 * CEL) and `problemsOf` are both held to, so that the two cannot come to disagree.
 */
import type { KindDefinition } from '../src/kind-definition.ts';

export type Manifest = Record<string, unknown>;

export interface RefusedManifest {
  /** Completes "refuses …". */
  readonly what: string;
  readonly manifest: Manifest;
  /** Where, in brackets-for-keys spelling. */
  readonly path: string;
  /** Text that both messages contain. */
  readonly says: string;
}

export interface AcceptedManifest {
  /** Completes "accepts …". */
  readonly what: string;
  readonly manifest: Manifest;
}

export interface AdmissionTable {
  readonly definition: KindDefinition;
  /** The version that the manifests are written in. Default: that of the definition's resource. */
  readonly version?: string;
  /** The least that the spec of a job can say. */
  readonly leastSpec: object;
  /** What the API server adds to it, besides the run policy. */
  readonly filledIn?: object;
  readonly refused: readonly RefusedManifest[];
  readonly accepted: readonly AcceptedManifest[];
}
