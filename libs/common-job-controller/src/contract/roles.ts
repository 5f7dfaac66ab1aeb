import { roleIn, type ReplicaSpecs, type RestartPolicy } from '@muster/job-api';
import type { ReplicaRole } from '../model/training-job.ts';
import { portOf, withDefaultPort, type PortRule } from './ports.ts';

export interface RoleReading extends PortRule {
  /** In the order in which roles are processed, spelled as in the status. */
  readonly roleNames: readonly string[];
  readonly defaultRestartPolicy: RestartPolicy;
  /** Roles whose pods never end by themselves: they are stopped when the job ends. */
  readonly endless?: readonly string[];
}

/** Defaults follow kubeflow/training-operator, pkg/apis/kubeflow.org/v1 (defaulting). Role names are matched in any case. */
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
