/** Upgrades and rollbacks of operators. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type CustomResourceDefinition, CUSTOM_RESOURCE_DEFINITIONS } from '@muster/job-api';
import type { KubeClient } from '@muster/kube';
import type { OperatorReplica } from '../run/operator-replica.ts';
import type { OperatorVersion } from '../versions/operator-version.ts';
import { chosen } from './chosen.ts';
import type { FaultPlace } from './fault-place.ts';
import type { PlannedFault } from './random-faults.ts';
import { retried } from './retried.ts';

/**
 * Like an upgrade or a rollback with Helm: first the CRDs of the new version, then one replica after the other, each when the one before is
 * ready, with operators of two versions in between. Throws if each operator already has the version.
 */
export function changeVersion(
  place: FaultPlace,
  to: 'current' | 'previous',
  { pick, forMs }: PlannedFault,
): Promise<void> {
  return oneAtATime(async () => {
    const { framework, version } = chosen(candidates(place, to), pick) ?? {};
    if (framework === undefined || version === undefined) throw new Error(`no operator can get the ${to} version`);
    await applyCrds(place.client, version.crds);
    const replicas = place.replicas.filter((replica) => replica.framework === framework);
    for (const [index, replica] of replicas.entries()) {
      if (index > 0) await sleep(forMs);
      replica.version = version;
      await replica.restart();
      await replica.ready();
    }
  });
}

export async function applyCrds(client: KubeClient, crds: readonly CustomResourceDefinition[]): Promise<void> {
  for (const crd of crds) await retried(() => client.apply(CUSTOM_RESOURCE_DEFINITIONS, crd, { force: true }));
}

function candidates({ replicas, versions }: FaultPlace, to: 'current' | 'previous') {
  return [...versions].flatMap(([framework, own]): { framework: string; version: OperatorVersion }[] => {
    const version = own[to];
    const isOther = (replica: OperatorReplica) => replica.framework === framework && replica.version !== version;
    return version !== undefined && replicas.some(isOther) ? [{ framework, version }] : [];
  });
}

let last: Promise<void> = Promise.resolve();

/** Two changes of one operator at a time could leave it with two versions. */
function oneAtATime(act: () => Promise<void>): Promise<void> {
  const mine = last.then(act);
  last = mine.catch(() => undefined);
  return mine;
}
