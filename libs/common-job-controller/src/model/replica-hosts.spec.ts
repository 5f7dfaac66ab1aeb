import { describe, expect, it } from 'vitest';
import { jobOf } from '../../test-support/plain-world.ts';
import { hostOf, replicaIndexOf, replicaKey } from './replica-hosts.ts';

describe('replicaIndexOf and hostOf', () => {
  it.each<[podsPerReplica: number | undefined, index: number, replica: number, host: number]>([
    [undefined, 3, 3, 0],
    [1, 3, 3, 0],
    [2, 0, 0, 0],
    [2, 3, 1, 1],
    [4, 11, 2, 3],
  ])(
    'with %s pods per replica, the pod of index %d belongs to replica %d as its host %d',
    (podsPerReplica, index, replica, host) => {
      const roles = [{ name: 'Worker', replicas: 12, ...(podsPerReplica !== undefined && { podsPerReplica }) }];
      const [role] = jobOf({ roles }).roles;
      const pod = { role: role!, index };
      expect([replicaIndexOf(pod), hostOf(pod), replicaKey(pod)]).toEqual([replica, host, `Worker ${replica}`]);
    },
  );
});
