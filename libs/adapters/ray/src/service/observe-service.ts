/** Observes a RayService from the context of a reconcile run. The manifest may be invalid. */
import { isControlledBy, type JobContext } from '@muster/common-job-controller';
import {
  ANNOTATIONS,
  momentOf,
  type Pod,
  RAY_CLUSTERS,
  type RayCluster,
  type RayService,
  type Resource,
  SERVICES,
} from '@muster/job-api';
import { rayContainerOf } from '../model/ray-cluster-model.ts';
import { RAY_LABELS } from '../model/ray-labels.ts';
import { GATEWAYS, HTTP_ROUTES, routeProblem } from '../serve/gateway-objects.ts';
import type { Head, ObservedCluster, ObservedService } from './observed-service.ts';
import { rayServiceProblems } from './service-problems.ts';
import { serviceRecord } from './service-record.ts';

export function observedService(manifest: RayService, context: JobContext, clusterDomain: string): ObservedService {
  const { metadata, spec, status } = manifest;
  const { name = '', namespace = '', uid = '', generation = 0, annotations = {} } = metadata ?? {};
  const own = context.ownedResources.filter(({ object }) => isControlledBy(uid, object));
  const objectOf = (resource: Resource) => own.find(({ kind }) => kind.resource === resource)?.object;
  const clusters = own.flatMap(({ kind, object }) => (kind.resource === RAY_CLUSTERS ? [object as RayCluster] : []));
  return {
    ...{ name, namespace, uid, generation, annotations, spec, clusterDomain },
    invalid: whyInvalid(manifest),
    record: serviceRecord(status),
    clusters: clusters.map((cluster) => observedCluster(cluster, context.pods)),
    services: own.flatMap(({ kind, object }) => (kind.resource === SERVICES ? [object.metadata?.name ?? ''] : [])),
    objects: own.length,
    routeProblem: routeProblem(objectOf(GATEWAYS), objectOf(HTTP_ROUTES)),
    probeResults: context.probeResults,
    nowMs: context.nowMs,
  };
}

/** A generation that was applied stays applied. A service that has not run yet is not read with problems. */
function whyInvalid(manifest: RayService): string | undefined {
  const { generation = 0 } = manifest.metadata ?? {};
  const { observedGeneration } = manifest.status?.muster ?? {};
  if (observedGeneration === undefined || observedGeneration >= generation) return undefined;
  const problems = rayServiceProblems(manifest);
  return problems.length === 0 ? undefined : problems.map(({ path, message }) => `${path}: ${message}`).join('; ');
}

function observedCluster(object: RayCluster, pods: readonly Pod[]): ObservedCluster {
  const { name = '', deletionTimestamp, annotations } = object.metadata ?? {};
  const own = pods.filter(
    ({ metadata }) => metadata?.labels?.[RAY_LABELS.cluster] === name && metadata.deletionTimestamp === undefined,
  );
  const deleteAfterMs = momentOf(annotations?.[ANNOTATIONS.deleteAfter]);
  const head = headOf(object, own);
  return {
    ...{ name, object, pods: own },
    isBeingDeleted: deletionTimestamp !== undefined,
    ...(deleteAfterMs !== undefined && { deleteAfterMs }),
    ...(head && { head }),
    isHeadReady: head !== undefined && isHeadReady(object),
  };
}

function headOf({ spec }: RayCluster, pods: readonly Pod[]): Head | undefined {
  const heads = pods.filter(({ metadata }) => metadata?.labels?.[RAY_LABELS.nodeType] === 'head');
  const [pod] = heads.toSorted((a, b) => createdMs(b) - createdMs(a));
  if (pod === undefined) return undefined;
  const container = rayContainerOf(spec.headGroupSpec.template)?.name;
  const restarts = pod.status?.containerStatuses?.find(({ name }) => name === container)?.restartCount ?? 0;
  return { pod, identity: `${pod.metadata?.uid ?? ''}/${restarts}` };
}

function createdMs({ metadata }: Pod): number {
  return momentOf(metadata?.creationTimestamp) ?? 0;
}

function isHeadReady({ metadata, status }: RayCluster): boolean {
  if (metadata?.deletionTimestamp !== undefined) return false;
  return status?.conditions?.some((each) => each.type === 'HeadPodReady' && each.status === 'True') ?? false;
}
