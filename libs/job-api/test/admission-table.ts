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
  /** The value of `spec.managedBy` that means this operator, of a kind without run policy, which has one otherwise. */
  readonly manager?: string;
  /**
   * A manifest of the kind, with fields in its pod templates that the schema does not describe. Where it is given, the rules let a
   * status pass of an object that broke them before, whatever its templates hold.
   */
  readonly withUndescribedFields?: (manifest: Manifest) => Manifest;
  /** The least that the spec of a job can say. */
  readonly leastSpec: object;
  /** What the API server adds to it, besides the run policy, if there is one. */
  readonly filledIn?: object;
  readonly refused: readonly RefusedManifest[];
  readonly accepted: readonly AcceptedManifest[];
}
