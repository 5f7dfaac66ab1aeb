/** Roles of a job from its manifest, where that has a map of them, as Kubeflow's kinds do. */
import { roleIn, type ReplicaSpecs, type RestartPolicy } from '@muster/job-api';
import type { ReplicaRole } from '../model/training-job.ts';
import { portOf, withDefaultPort, type PortRule } from './ports.ts';

export interface RoleReading extends PortRule {
  /** In the order in which roles are looked at, as the status spells them. */
  readonly roleNames: readonly string[];
  readonly defaultRestartPolicy: RestartPolicy;
  /** The roles whose pods go on for ever: they are stopped when the job ends. */
  readonly endless?: readonly string[];
}

/** Defaults follow kubeflow/training-operator, pkg/apis/kubeflow.org/v1 (defaulting). Roles may be spelled in any case. */
export function readRoles(specs: ReplicaSpecs, reading: RoleReading): ReplicaRole[] {
  const { roleNames, defaultRestartPolicy, endless = [] } = reading;
  return roleNames.flatMap((name) => {
    const found = roleIn(specs, name);
    if (found === undefined) return [];
    const { replicas = 1, restartPolicy, template } = found.spec;
    const role: ReplicaRole = {
      name,
      replicas,
      restartPolicy: restartPolicy === undefined || restartPolicy === '' ? defaultRestartPolicy : restartPolicy,
      template: withDefaultPort(template, reading),
      endsByItself: !endless.includes(name),
      containerName: reading.containerName,
      port: portOf({ template }, reading),
    };
    return [role];
  });
}
