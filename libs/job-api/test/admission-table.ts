/**
 * Manifests that admission refuses or accepts, with the error: one table for each kind, which tests both the API server (CRD
 * and CEL) and `problemsOf`, so that the two stay equal.
 */
import type { KindDefinition } from '../src/kind-definition.ts';

export type Manifest = Record<string, unknown>;

export interface RefusedManifest {
  /** Completes "refuses …". */
  readonly what: string;
  readonly manifest: Manifest;
  /** Path of the field, with map keys in brackets. */
  readonly path: string;
  /** Text that both messages contain. */
  readonly message: string;
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
  /** The value of `spec.managedBy` for Muster, for kinds without a run policy. */
  readonly manager?: string;
  /**
   * Adds fields to the pod templates that the schema does not describe. If it is set, the rules must accept a status of a stored
   * object that violates them, whatever its templates contain.
   */
  readonly withUndescribedFields?: (manifest: Manifest) => Manifest;
  /** The smallest valid spec. */
  readonly leastSpec: object;
  /** Defaults that the API server adds to it, except the run policy. */
  readonly filledIn?: object;
  readonly refused: readonly RefusedManifest[];
  readonly accepted: readonly AcceptedManifest[];
}
