/**
 * The same manifests on a real API server: it and {@link admissionProblems} accept or refuse the same ones, and a refusal names a
 * field. Nothing is stored (dry run).
 */
import type { KubeObject, Resource } from '@muster/job-api';
import { isKubeError, type KubeClient } from '@muster/kube';
import { admissionProblems } from './judge.ts';
import type { JsonObject } from './json.ts';
import type { SpecKind } from './spec-kind.ts';

export interface Disagreement {
  readonly manifest: JsonObject;
  /** The problems that Muster finds. */
  readonly ours: readonly string[];
  /** The answer of the API server; undefined if it accepts the manifest. */
  readonly servers: string | undefined;
}

/** Undefined if both accept or both refuse. */
export async function disagreement(
  client: KubeClient,
  kind: SpecKind,
  manifest: JsonObject,
  namespace: string,
): Promise<Disagreement | undefined> {
  const ours = admissionProblems(kind, manifest).map(({ path, message }) => `${path}: ${message}`);
  const servers = await refusalOf(client, kind, manifest, namespace);
  const isNamed = servers === undefined || NAMES_A_FIELD.test(servers);
  if (isNamed && ours.length > 0 === (servers !== undefined)) return undefined;
  return { manifest, ours, servers };
}

const NAMES_A_FIELD = /\b(spec|metadata)\b|cannot be handled as an? |strict decoding error/;

export async function refusalOf(
  client: KubeClient,
  { definition, apiVersion }: SpecKind,
  manifest: JsonObject,
  namespace: string,
): Promise<string | undefined> {
  const resource: Resource = { ...definition.resource, version: apiVersion.split('/')[1] ?? '' };
  const { metadata } = manifest;
  const object = { ...manifest, metadata: { ...(metadata as JsonObject), namespace } } as unknown as KubeObject;
  try {
    await client.create(resource, object, { dryRun: true });
    return undefined;
  } catch (error) {
    // Anything else than an answer about the manifest is a fault of the test's cluster.
    if (isKubeError(error) && [400, 403, 413, 422].includes(error.code)) return error.message;
    throw error;
  }
}
