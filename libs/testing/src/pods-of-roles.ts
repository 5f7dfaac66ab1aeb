/** A short notation for roles and pods. */
import { LABELS, replicaName, type KubeObject, type Pod, type ReplicaSpecs } from '@muster/job-api';

/**
 * Per role a letter for each replica, by index: `P` pending, `R` running, `S` succeeded, `F` failed with exit code 1,
 * `-` no pod. For example `{ Chief: 'R', Worker: 'SF-' }`.
 */
export type RolePhases = Readonly<Record<string, string>>;

const PHASES: Readonly<Record<string, { phase: string; exitCode?: number }>> = {
  P: { phase: 'Pending' },
  R: { phase: 'Running' },
  S: { phase: 'Succeeded', exitCode: 0 },
  F: { phase: 'Failed', exitCode: 1 },
};

/** The replica specs of a manifest, with a replica per letter and a container of that name. */
export function specsOfRoles(container: string, roles: RolePhases): ReplicaSpecs {
  const template = { spec: { containers: [{ name: container, image: 'registry.example/train:1' }] } };
  return Object.fromEntries(Object.entries(roles).map(([role, { length }]) => [role, { replicas: length, template }]));
}

/** The pods that `job` controls, with the main container `container`; in the default service mode. */
export function podsOfRoles(job: KubeObject, container: string, roles: RolePhases): Pod[] {
  return Object.entries(roles).flatMap(([role, letters]) =>
    [...letters].flatMap((letter, index) => {
      const state = PHASES[letter];
      return state === undefined ? [] : [podOf(job, container, { role, index }, state)];
    }),
  );
}

function podOf(
  { apiVersion, kind, metadata = {} }: KubeObject,
  container: string,
  { role, index }: { role: string; index: number },
  { phase, exitCode }: { phase: string; exitCode?: number },
): Pod {
  const { name: jobName = '', namespace = '', uid = '' } = metadata;
  const name = replicaName(jobName, role, index);
  const state =
    exitCode === undefined ? {} : { terminated: { exitCode, reason: exitCode === 0 ? 'Completed' : 'Error' } };
  return {
    metadata: {
      name,
      namespace,
      uid: `uid-${name}`,
      labels: {
        [LABELS.jobName]: jobName,
        [LABELS.replicaType]: role.toLowerCase(),
        [LABELS.replicaIndex]: String(index),
      },
      ownerReferences: [{ apiVersion: apiVersion ?? '', kind: kind ?? '', name: jobName, uid, controller: true }],
    },
    spec: { containers: [], subdomain: jobName, restartPolicy: 'Never' },
    status: {
      phase,
      containerStatuses: [{ name: container, image: '', imageID: '', ready: false, restartCount: 0, state }],
    },
  };
}
