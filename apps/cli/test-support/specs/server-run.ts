/** Manifests on a real API server with the real operators of all frameworks. */
import { createJobOperator, statusOf, type FrameworkAdapter, type JobManifest } from '@muster/common-job-controller';
import {
  crdFor,
  FRAMEWORKS,
  VOLCANO_COMMAND_CRD,
  volcanoJobDefinition,
  type FrameworkName,
  type KubeObject,
  type Resource,
} from '@muster/job-api';
import { isKubeError, type ClusterClient } from '@muster/kube';
import { eventually, installCrd, loneOperatorOptions, started, TravelClock } from '@muster/testing';
import { volcanoJobAdapter } from '@muster/volcano-job';
import { Registry } from 'prom-client';
import { VOLCANO_PLUGINS } from '../../src/planned-kinds.ts';
import { adaptersOf } from '../framework-adapters.ts';
import { judge, surroundings } from './judge.ts';
import type { JsonObject } from './json.ts';
import { refusalOf } from './server-agreement.ts';
import type { SpecKind } from './spec-kind.ts';

const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

export async function installKinds(client: ClusterClient): Promise<void> {
  const definitions = [...Object.values(FRAMEWORKS).flat(), volcanoJobDefinition];
  for (const definition of definitions) await installCrd(client, crdFor(definition));
  await installCrd(client, VOLCANO_COMMAND_CRD);
}

/** The operators of all frameworks, with Volcano Jobs. */
export async function startOperators(
  client: ClusterClient,
  namespace: string,
): Promise<{ readonly stop: () => Promise<void> }> {
  const operators: Awaited<ReturnType<typeof started>>[] = [];
  for (const framework of Object.keys(FRAMEWORKS) as FrameworkName[]) {
    const [first, ...others] = adaptersOf(framework);
    const plugin = VOLCANO_PLUGINS.find((each) => (each.framework ?? each.name) === framework);
    const volcano = plugin === undefined ? [] : [volcanoJobAdapter(plugin) as unknown as FrameworkAdapter];
    const registry = new Registry();
    const start = { client, namespaces: [namespace], serviceMode: 'PerJob', logger: silent } as const;
    const options = loneOperatorOptions({ ...start, clock: new TravelClock() });
    operators.push(
      await started(createJobOperator({ ...options, adapters: [first, ...others, ...volcano], registry }), registry),
    );
  }
  return { stop: async () => void (await Promise.all(operators.map((operator) => operator.stop()))) };
}

/**
 * Creates the job with another name, and waits until its pods exist or its status says why there are none. Then it is deleted.
 * Returns false for a manifest that the API server refuses, or that no operator runs.
 *
 * @throws with the status of a job that stays silent
 */
export async function runOnServer(
  client: ClusterClient,
  kind: SpecKind,
  manifest: JsonObject,
  { namespace, number }: { readonly namespace: string; readonly number: number },
): Promise<boolean> {
  const named = { ...manifest, metadata: { ...(manifest.metadata as JsonObject), name: `s${number}`, finalizers: [] } };
  const judgement = judge(kind, named, surroundings(0));
  if ('outcome' in judgement && ['refused', 'foreign'].includes(judgement.outcome)) return false;
  if ((await refusalOf(client, kind, named, namespace)) !== undefined) return false;
  const resource: Resource<JobManifest> = { ...kind.definition.resource, version: kind.apiVersion.split('/')[1] ?? '' };
  const key = { namespace, name: `s${number}` };
  const created = { ...named, metadata: { ...named.metadata, namespace } } as unknown as JobManifest;
  await client.create(resource, created);
  let last: KubeObject = {};
  await eventually(
    async () => {
      const job = await client.get(resource, key);
      last = job;
      return isReported(kind, job);
    },
    { withinMs: 300_000, describe: () => ({ manifest: named, job: last }) },
  );
  await client.delete(resource, key, { propagationPolicy: 'Background' }).catch((error: unknown) => {
    if (!isKubeError(error, 'NotFound')) throw error;
  });
  return true;
}

interface PublicStatus {
  readonly conditions?: readonly { readonly type: string; readonly status: string; readonly message?: string }[];
  readonly rayClusterStatus?: PublicStatus;
  /** Pods of a Volcano Job that are not scheduled. */
  readonly pending?: number;
}

/**
 * Whether the status has more than that the job was seen: a state of its pods, an end, a refusal or a wait. Ray's kinds report in
 * conditions of their own, which are False until all is ready.
 */
function isReported({ adapter }: SpecKind, job: JobManifest): boolean {
  const { conditions = [], replicaStatuses = {} } = statusOf(adapter, job);
  const { conditions: shown = [], rayClusterStatus, pending = 0 } = (job.status ?? {}) as PublicStatus;
  const hasPods = Object.values(replicaStatuses).some(
    ({ active = 0, succeeded = 0, failed = 0 }) => active + succeeded + failed > 0,
  );
  const reports = [
    ...conditions.filter(({ type, status }) => type !== 'Created' && status === 'True'),
    ...shown.filter(({ type, status }) => type === 'Ready' && status === 'False'),
    ...(rayClusterStatus?.conditions ?? []).filter(({ type }) => type === 'ReplicaFailure'),
  ];
  return hasPods || pending > 0 || reports.some(({ message = '' }) => message !== '');
}
