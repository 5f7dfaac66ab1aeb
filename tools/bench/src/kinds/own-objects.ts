/**
 * The objects of a job of a kind: one job is created, and its objects are the template for those that a raw client creates as the floor. So
 * the floor has the same pods, Services and other objects as a job.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { SIMULATE_LABEL } from '@muster/cluster';
import {
  BATCH_JOBS,
  ENDPOINT_SLICES,
  NETWORK_POLICIES,
  PODS,
  ROLE_BINDINGS,
  ROLES,
  SECRETS,
  SERVICE_ACCOUNTS,
  SERVICES,
  type KubeObject,
  type Pod,
  type Resource,
} from '@muster/job-api';
import type { ClusterClient } from '@muster/kube';
import { Milestones } from '../milestones.ts';
import { isRunning, type JobKind } from './job-kind.ts';

const CONFIG_MAPS: Resource = { group: '', version: 'v1', kind: 'ConfigMap', plural: 'configmaps', namespaced: true };
/** In the order in which they are created. */
const OWNED: readonly Resource[] = [
  ...[SERVICE_ACCOUNTS, ROLES, ROLE_BINDINGS, CONFIG_MAPS, SECRETS, NETWORK_POLICIES, SERVICES, ENDPOINT_SLICES],
  ...[BATCH_JOBS, PODS],
];
/** Objects that Kubernetes' own controllers create from others. */
const MADE_OF_OTHERS: ReadonlySet<string> = new Set(['Job', 'StatefulSet', 'ReplicaSet']);
const PODS_COME_OF: ReadonlySet<string> = new Set([PODS.kind, BATCH_JOBS.kind]);
/** Names that have no meaning in another object. */
const NAME = 'template-0';
const AFTER_MS = 3_600_000;
const SETTLE_MS = 3000;

export interface OwnObject {
  readonly resource: Resource;
  readonly object: KubeObject;
}

export interface OwnObjects {
  /** The objects of one job, without the pods that a Job creates. */
  readonly each: (name: string, trainingMs: number | undefined, labels: Record<string, string>) => OwnObject[];
  readonly pods: number;
  /** How many of the pods succeed by themselves. */
  readonly podsThatEnd: number;
}

/** An operator must run. The job and all of its objects are gone when the promise resolves. */
export async function ownObjects(
  client: ClusterClient,
  namespace: string,
  { kind, pods, ends, limitMs }: { kind: JobKind; pods: number; ends: boolean; limitMs: number },
): Promise<OwnObjects> {
  await using jobs = await Milestones.of(client, kind.resource, { namespace }, limitMs);
  await using present = await Milestones.of(client, PODS, { namespace }, limitMs);
  const manifest = kind.manifest(NAME, pods, ends ? AFTER_MS : undefined);
  await client.create(kind.resource, { ...manifest, metadata: { ...manifest.metadata, namespace } });
  await jobs.when('the template job runs', (found) => found.some(isRunning));
  const run = (pod: Pod) => pod.status?.phase === 'Running';
  await present.when('all of its pods run', (found) => found.length === pods && found.every(run));
  // Some objects are created only after its pods have addresses.
  await sleep(SETTLE_MS);
  const found = await ownedIn(client, namespace);
  const podsOf = (await client.list(PODS, { namespace })).items;
  await client.delete(kind.resource, { namespace, name: NAME });
  await present.when('its pods are gone', (left) => left.length === 0);
  const template = found.map(({ resource, object }) => ({ resource, text: JSON.stringify(asMade(object)) }));
  return {
    pods: podsOf.length,
    podsThatEnd: podsOf.filter(endsWell).length,
    each: (name, trainingMs, labels) =>
      template.map(({ resource, text }) => {
        const filled = text.replaceAll(NAME, name).replaceAll(`${AFTER_MS}ms`, `${trainingMs ?? 0}ms`);
        return { resource, object: labelled(JSON.parse(filled) as KubeObject, labels) };
      }),
  };
}

/** Only the pods of a job, with the Jobs that create some of them. */
export function ownPods(own: OwnObjects): OwnObjects {
  return { ...own, each: (...of) => own.each(...of).filter(({ resource }) => PODS_COME_OF.has(resource.kind)) };
}

function endsWell({ metadata }: Pod): boolean {
  return metadata?.labels?.[SIMULATE_LABEL] !== undefined;
}

async function ownedIn(client: ClusterClient, namespace: string): Promise<OwnObject[]> {
  const lists = await Promise.all(
    OWNED.map(async (resource) => {
      const { items } = await client.list(resource, { namespace });
      return items.map((object) => ({ resource, object: { ...object, ...typeOf(resource) } }));
    }),
  );
  return lists.flat().filter(({ object: { metadata } }) => {
    const { name = '', labels, ownerReferences = [] } = metadata ?? {};
    const managedBy = labels?.['endpointslice.kubernetes.io/managed-by'];
    return (
      name.includes(NAME) &&
      managedBy !== 'endpointslice-controller.k8s.io' &&
      !ownerReferences.some(({ kind }) => MADE_OF_OTHERS.has(kind))
    );
  });
}

function typeOf({ group, version, kind }: Resource) {
  return { apiVersion: group === '' ? version : `${group}/${version}`, kind };
}

interface Loose extends KubeObject {
  spec?: Record<string, unknown>;
  status?: unknown;
}

/** Without the fields that the server adds. */
function asMade({ metadata, status: _status, spec, ...rest }: Loose): KubeObject {
  const { name, labels, annotations } = metadata ?? {};
  const { nodeName: _node, clusterIP, clusterIPs: _ips, selector, ...others } = spec ?? {};
  const kept = {
    ...(clusterIP === 'None' && { clusterIP }),
    // The server derives a Job's selector from its UID.
    ...(selector !== undefined && rest.kind !== 'Job' && { selector }),
    ...others,
  };
  const made = { ...rest, metadata: { name, labels, annotations }, ...(spec !== undefined && { spec: kept }) };
  return made as KubeObject;
}

/** Also in the template of its pods. */
function labelled(object: Loose, labels: Record<string, string>): KubeObject {
  const of = (metadata: KubeObject['metadata']) => ({ ...metadata, labels: { ...ownLabels(metadata), ...labels } });
  const template = object.spec?.['template'] as { metadata?: KubeObject['metadata'] } | undefined;
  return {
    ...object,
    metadata: of(object.metadata),
    ...(template !== undefined && {
      spec: { ...object.spec, template: { ...template, metadata: of(template.metadata) } },
    }),
  };
}

/** Without the labels by which a Job finds its pods: the server creates new ones. */
function ownLabels(metadata: KubeObject['metadata']): Record<string, string> {
  return Object.fromEntries(
    Object.entries(metadata?.labels ?? {}).filter(
      ([key]) => !/controller-uid$|^batch\.kubernetes\.io\/|^job-name$/.test(key),
    ),
  );
}
