/** The JSON patch that changes the number of a role's replicas, or why it cannot be changed. */
import type { JobManifest } from '@muster/common-job-controller';
import type { RayCluster, ReplicaSpecs, ScalePaths } from '@muster/job-api';

/** An operation of a JSON Patch. */
export interface PatchStep {
  readonly op: 'test' | 'add' | 'replace';
  readonly path: string;
  readonly value: unknown;
}

export type Resizing =
  | { readonly patch: readonly PatchStep[]; readonly role: string; readonly before: number; readonly note?: string }
  | { readonly refusal: string };

/** @param role the user's argument, if given */
export type Resize = (job: JobManifest, role: string | undefined, replicas: number) => Resizing;

/** For a kind with a map of roles, of which one has a scale subresource. */
export function resizeRole({ specReplicasPath }: ScalePaths): Resize {
  // `.spec.<field>.<role>.replicas`
  const [, , field = '', scaled = ''] = specReplicasPath.split('.');
  return (job, role = scaled, replicas) => {
    if (role.toLowerCase() !== scaled.toLowerCase()) {
      return { refusal: `only its role ${scaled} can be resized, not ${role}` };
    }
    const specs = (Reflect.get(Object(job.spec), field) ?? {}) as ReplicaSpecs;
    const name = Object.keys(specs).find((each) => each.toLowerCase() === role.toLowerCase());
    if (name === undefined) return { refusal: `it has no role ${scaled}` };
    const path = `/spec/${field}/${name}/replicas`;
    return { patch: [{ op: 'add', path, value: replicas }], role: name, before: specs[name]?.replicas ?? 1 };
  };
}

/** For a RayCluster, whose worker groups are a list. */
export const resizeGroup: Resize = (job, role, replicas) => {
  const { workerGroupSpecs: groups = [], enableInTreeAutoscaling } = job.spec as RayCluster['spec'];
  const names = groups.map(({ groupName }) => groupName);
  if (role === undefined && groups.length !== 1) {
    return { refusal: `it has ${groups.length} worker groups (${names.join(', ') || 'none'}): use <group>=<number>` };
  }
  const index = groups.findIndex(({ groupName }) => role === undefined || groupName === role);
  const group = groups[index];
  if (group === undefined)
    return { refusal: `it has no worker group ${role}; its worker groups: ${names.join(', ') || 'none'}` };
  const { groupName, minReplicas = 0, maxReplicas = Infinity, replicas: before = 0 } = group;
  if (replicas < minReplicas || replicas > maxReplicas) {
    const bounds = `minReplicas ${minReplicas} and maxReplicas ${maxReplicas}`;
    return { refusal: `worker group ${groupName} has ${bounds}: change these first` };
  }
  const path = `/spec/workerGroupSpecs/${index}`;
  return {
    patch: [
      // The list may have changed since it was read.
      { op: 'test', path: `${path}/groupName`, value: groupName },
      { op: 'add', path: `${path}/replicas`, value: replicas },
    ],
    role: groupName,
    before,
    ...(enableInTreeAutoscaling === true && { note: "Ray's autoscaler may change it again" }),
  };
};
