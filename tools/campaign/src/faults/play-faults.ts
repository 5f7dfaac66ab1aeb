/** Causes the faults of a schedule. Each ends by itself: when all are over, nothing of them is left. */
import { setTimeout as sleep } from 'node:timers/promises';
import { restartComponent, signalComponent } from '@muster/cluster';
import { SeededRandom } from '@muster/fault-injection';
import { chosen } from './chosen.ts';
import { jumpClock } from './clock-jump.ts';
import type { FaultPlace } from './fault-place.ts';
import {
  deleteNamespace,
  disturbPods,
  limitPods,
  limitQueue,
  loseNode,
  refuseObjects,
  updateCrd,
} from './object-faults.ts';
import { faultOfRequests, isRequestFault } from './request-faults.ts';
import type { PlannedFault } from './random-faults.ts';
import { changeVersion } from './version-faults.ts';

/** What came of one fault. */
export interface PlayedFault extends PlannedFault {
  /** Why it could not be caused or ended. */
  readonly failure?: string;
}

/** Resolves when all faults are over. A fault that cannot be caused is in the result, and ends nothing. */
export async function playFaults(
  place: FaultPlace,
  faults: readonly PlannedFault[],
  onFault: (fault: PlannedFault) => void,
): Promise<PlayedFault[]> {
  const startMs = performance.now();
  return Promise.all(
    faults.map(async (fault) => {
      await sleep(Math.max(0, startMs + fault.atMs - performance.now()));
      onFault(fault);
      try {
        await playFault(place, fault);
        return fault;
      } catch (error) {
        return { ...fault, failure: String(error) };
      }
    }),
  );
}

async function playFault(place: FaultPlace, planned: PlannedFault): Promise<void> {
  const { fault, forMs, pick } = planned;
  if (isRequestFault(fault)) return faultOfRequests(place, fault, planned);
  switch (fault) {
    case 'operator-kill':
      return chosen(place.replicas, pick)?.kill();
    case 'operator-stop': {
      const replica = chosen(place.replicas, pick);
      replica?.signal('SIGSTOP');
      await sleep(forMs);
      return replica?.signal('SIGCONT');
    }
    case 'etcd-compaction':
      return place.etcd.compact();
    case 'api-server-kill':
      return alone(() => restartComponent(place.cluster, 'kube-apiserver', () => sleep(forMs)));
    case 'api-server-stop':
      return alone(() => stopped(place.cluster, 'kube-apiserver', forMs));
    case 'kubelets-stop':
      return stopped(place.cluster, 'kwok', forMs);
    case 'node-loss':
      return loseNode(place, planned);
    case 'evictions':
      return disturbPods(place, 'evict a pod', planned);
    case 'pod-deletions':
      return disturbPods(place, 'delete a pod', planned);
    case 'pod-failures':
      return disturbPods(place, 'fail a pod', planned);
    case 'quota':
      return limitPods(place, planned);
    case 'queue-quota':
      return limitQueue(place, planned);
    case 'admission-policy':
      return refuseObjects(place, planned);
    case 'namespace-deletion':
      return deleteNamespace(place, planned);
    case 'crd-update':
      return updateCrd(place, planned);
    case 'rolling-restart':
      return restartAll(place, planned);
    case 'rolling-upgrade':
      return changeVersion(place, 'current', planned);
    case 'rollback':
      return changeVersion(place, 'previous', planned);
    case 'clock-jump':
      return jumpClock(place, planned);
    default:
      throw new Error(`unknown fault ${fault as string}`);
  }
}

let lastOfApiServer: Promise<void> = Promise.resolve();

/** Two faults of the API server at a time would stop a process that the other one has replaced. */
function alone(act: () => Promise<void>): Promise<void> {
  const mine = lastOfApiServer.then(act);
  lastOfApiServer = mine.catch(() => undefined);
  return mine;
}

async function stopped(cluster: string, component: string, forMs: number): Promise<void> {
  signalComponent(cluster, component, 'SIGSTOP');
  await sleep(forMs);
  signalComponent(cluster, component, 'SIGCONT');
}

async function restartAll({ replicas }: FaultPlace, { pick }: PlannedFault): Promise<void> {
  const framework = chosen(replicas, pick)?.framework;
  const random = new SeededRandom(Math.floor(pick * 2 ** 31));
  const flags = [
    `--service-mode=${random.pick(['PerJob', 'PerReplica'])}`,
    `--concurrency=${random.pick([1, 2, 16])}`,
    `--kube-api-qps=${random.pick([0, 20])}`,
  ];
  for (const replica of replicas.filter((each) => each.framework === framework)) {
    replica.flags = flags;
    await replica.restart();
  }
}
