/**
 * What a launcher that enters its workers by `kubectl exec` may do, and as whom: it reads pods, and enters the workers of
 * its own job and no other pod (kubeflow/training-operator: newLauncherRole). The objects are without their owner.
 */
import type { ObjectMeta, PodSpec } from '@muster/job-api';
import type { MPIModel } from '../generations/mpi-model.ts';
import { launcherName, workerNames } from '../config/object-names.ts';
import type { PolicyRule, Role, RoleBinding, ServiceAccount } from './rbac-objects.ts';

/**
 * Without workers there is nobody to enter, and the rule for it is left out: an empty list of names would mean every pod of
 * the namespace, as it does upstream.
 */
export function roleRules(model: MPIModel, workers?: readonly number[]): PolicyRule[] {
  const [first, ...others] = workerNames(model, workers);
  const read: PolicyRule = { apiGroups: [''], resources: ['pods'], verbs: ['get', 'list', 'watch'] };
  if (first === undefined) return [read];
  return [read, { apiGroups: [''], resources: ['pods/exec'], verbs: ['create'], resourceNames: [first, ...others] }];
}

/** The ServiceAccount that the template of a launcher names, also in the older spelling; undefined when it names none. */
export function templatesAccount(spec: PodSpec): string | undefined {
  return [spec.serviceAccountName, spec.serviceAccount].find((name) => name !== undefined && name !== '');
}

/** The ServiceAccount that a launcher of this template runs as. */
export function launcherAccount(model: MPIModel, spec: PodSpec): string {
  return templatesAccount(spec) ?? launcherName(model);
}

/** The job's own account, for a launcher whose template names none. */
export function serviceAccount(model: MPIModel): ServiceAccount {
  return { apiVersion: 'v1', kind: 'ServiceAccount', metadata: metadata(model) };
}

export function launcherRole(model: MPIModel, workers?: readonly number[]): Role {
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'Role',
    metadata: metadata(model),
    rules: roleRules(model, workers),
  };
}

/** Gives the job's Role to `account`, of the job's namespace. */
export function roleBinding(model: MPIModel, account: string): RoleBinding {
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata: metadata(model),
    subjects: [{ kind: 'ServiceAccount', name: account, namespace: model.namespace }],
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: launcherName(model) },
  };
}

function metadata(model: MPIModel): ObjectMeta {
  return { name: launcherName(model), namespace: model.namespace, labels: { app: model.name } };
}
