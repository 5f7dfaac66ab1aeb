/** The job's pods put into their slots: for each role and index, the pod that is there and what it is doing. */
import type { Pod } from '@muster/job-api';
import type { RoleTally, TrainingJob } from './adapter.ts';
import { exitCodeOf, indexOf, roleLabelOf, stateOf, type ReplicaPod } from './replica-pods.ts';
import { isRestarted } from './restart-policy.ts';

export interface JobReplicas {
  /** One for each replica that the spec asks for, in the order of roles and indexes. */
  readonly wanted: readonly ReplicaPod[];
  /** Pods of the job beyond that: an index that the role no longer has, or no role. */
  readonly surplus: readonly Pod[];
}

/** `pods` are those that the job controls. Two pods of one replica cannot be: a replica's pod has one name. */
export function jobReplicas(job: TrainingJob, pods: readonly Pod[]): JobReplicas {
  const bySlot = new Map(pods.map((pod) => [slot(roleLabelOf(pod), indexOf(pod)), pod]));
  const wanted: ReplicaPod[] = [];
  for (const role of job.roles) {
    for (let index = 0; index < role.replicas; index++) {
      const key = slot(role.name.toLowerCase(), index);
      const pod = bySlot.get(key);
      bySlot.delete(key);
      wanted.push(pod === undefined ? { role, index, state: 'missing' } : { role, index, pod, state: stateOf(pod) });
    }
  }
  return { wanted, surplus: [...bySlot.values()] };
}

function slot(role: string | undefined, index: number): string {
  return `${role ?? ''}/${index}`;
}

/** Whether the replica has failed in a way that its restart policy makes good. */
export function isToRestart({ state, pod, role }: ReplicaPod, containerName: string): boolean {
  return state === 'failed' && pod !== undefined && isRestarted(role.restartPolicy, exitCodeOf(pod, containerName));
}

/** The role's counts, with the replicas that are restarted left out of `failed`. */
export function tallies(job: TrainingJob, replicas: readonly ReplicaPod[], containerName: string): RoleTally[] {
  return job.roles.map((role) => {
    const own = replicas.filter((replica) => replica.role === role);
    return {
      role,
      running: own.filter(({ state }) => state === 'running').length,
      succeeded: own.filter(({ state }) => state === 'succeeded').length,
      failed: own.filter((replica) => replica.state === 'failed' && !isToRestart(replica, containerName)).length,
    };
  });
}
