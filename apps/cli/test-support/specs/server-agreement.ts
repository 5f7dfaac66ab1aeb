/**
 * The same manifests on a real API server: it and {@link admissionProblems} accept or refuse the same ones, and a refusal names a
 * field. Nothing is stored (dry run).
 */
import { manifestProblems, objectsOf } from '@muster/common-job-controller';
import { admitted, apiVersionOf, PODS, SERVICES, type KubeObject, type Resource } from '@muster/job-api';
import { isKubeError, type KubeClient } from '@muster/kube';
import { objectProblems } from '../../src/validation/object-problems.ts';
import { admissionProblems, surroundings } from './judge.ts';
import type { JsonObject } from './json.ts';
import type { SpecKind } from './spec-kind.ts';

export interface Disagreement {
  readonly manifest: JsonObject;
  /** The problems that Muster finds. */
  readonly ours: readonly string[];
  /** The answer of the API server; undefined if it accepts the manifest. */
  readonly servers: string | undefined;
}

const RESOURCES: Readonly<Record<string, Resource>> = {
  Pod: PODS,
  Service: SERVICES,
  Job: { group: 'batch', version: 'v1', kind: 'Job', plural: 'jobs', namespaced: true },
  StatefulSet: { group: 'apps', version: 'v1', kind: 'StatefulSet', plural: 'statefulsets', namespaced: true },
};

/** For pods and other objects with templates that the operator would create: those that only the API server, or only Muster refuses. */
export async function objectDisagreements(
  client: KubeClient,
  kind: SpecKind,
  manifest: JsonObject,
  namespace: string,
): Promise<Disagreement[]> {
  if (admissionProblems(kind, manifest).length > 0) return [];
  const stored = admitted(kind.definition, manifest);
  if (manifestProblems(kind.adapter, stored).length > 0) return [];
  const job = { ...stored, metadata: { ...stored.metadata, uid: 'uid', generation: 1 } };
  const objects = objectsOf(kind.adapter, job, surroundings(0).settings).slice(0, MOST_OBJECTS);
  const found = objects.map(async (object) => {
    const resource = RESOURCES[object.kind ?? ''];
    if (resource === undefined) return [];
    const ours = objectProblems(object)
      .map(({ path, message }) => `${path}: ${message}`)
      // Of templates the API server checks this when another controller creates the pods.
      .filter((each) => resource === PODS || !each.endsWith('white space'));
    const { ownerReferences: _owner, ...metadata } = object.metadata ?? {};
    const servers = await refusalOfObject(client, resource, { ...object, metadata }, namespace);
    // Of the cluster, such as a PriorityClass that does not exist.
    if (servers !== undefined && (!/ is invalid: |cannot be handled as/.test(servers) || OF_OLD_SERVERS.test(servers)))
      return [];
    return ours.length > 0 === (servers !== undefined) ? [] : [{ manifest: object as JsonObject, ours, servers }];
  });
  return (await Promise.all(found)).flat();
}

const MOST_OBJECTS = 6;

/** Refused only by servers from before the field, here Kubernetes 1.31. */
const OF_OLD_SERVERS = /\.containers\[\d+\]\.restartPolicy: Forbidden: may not be set for non-init containers/;

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
  return refusalOfObject(client, resource, manifest, namespace);
}

async function refusalOfObject(
  client: KubeClient,
  resource: Resource,
  object: KubeObject,
  namespace: string,
): Promise<string | undefined> {
  const typed = { apiVersion: apiVersionOf(resource), kind: resource.kind, ...object };
  try {
    await client.create(resource, { ...typed, metadata: { ...object.metadata, namespace } }, { dryRun: true });
    return undefined;
  } catch (error) {
    // Anything else than an answer about the manifest is a fault of the test's cluster.
    if (isKubeError(error) && [400, 403, 413, 422].includes(error.code)) return error.message;
    throw error;
  }
}
