/** A reconcile run's observation of a RayService: cached objects and answers of Ray Serve. */
import type { JobContext } from '@muster/common-job-controller';
import type { Pod, RayCluster, RayServiceSpec } from '@muster/job-api';
import type { ServiceRecord } from './service-record.ts';

export interface ObservedService {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  readonly generation: number;
  readonly annotations: Readonly<Record<string, string>>;
  readonly spec: RayServiceSpec;
  /** Why the spec was changed to an invalid one: what was last applied stays in effect. */
  readonly invalid: string | undefined;
  readonly record: ServiceRecord;
  /** All RayClusters that the service controls, also those being deleted. */
  readonly clusters: readonly ObservedCluster[];
  /** Names of its existing Services. */
  readonly services: readonly string[];
  /** Number of all objects that it controls. */
  readonly objects: number;
  /** Why the route of an incremental upgrade does not divide the requests yet. Undefined: it does. */
  readonly routeProblem: string | undefined;
  readonly probeResults: JobContext['probeResults'];
  readonly clusterDomain: string;
  readonly nowMs: number;
}

export interface ObservedCluster {
  readonly name: string;
  readonly object: RayCluster;
  readonly isBeingDeleted: boolean;
  /** When it is deleted, if it is no longer used. */
  readonly deleteAfterMs?: number;
  /** Its pods that are not being deleted. */
  readonly pods: readonly Pod[];
  /** The newest head pod. */
  readonly head?: Head;
  /** The RayCluster reports its head as ready. */
  readonly isHeadReady: boolean;
}

export interface Head {
  readonly pod: Pod;
  /** Another one after a restart of Ray: UID of the pod and number of restarts of its Ray container. */
  readonly identity: string;
}
