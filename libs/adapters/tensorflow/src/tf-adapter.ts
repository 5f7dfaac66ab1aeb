/**
 * The adapter of TFJob. Rules follow kubeflow/training-operator, pkg/controller.v1/tensorflow; docs/administrators/differences.md
 * lists intended differences.
 */
import {
  problemsWithPorts,
  readRoles,
  trainingOperatorLabels,
  type FrameworkAdapter,
} from '@muster/common-job-controller';
import {
  ANNOTATIONS,
  MANAGED_BY_TRAINING_OPERATOR,
  OPERATOR_NAMES,
  TF_JOBS,
  TF_ROLES,
  tfJobDefinition,
  type TFJob,
} from '@muster/job-api';
import { tfConfig } from './tf-config.ts';
import { TF_MAIN } from './tf-main.ts';
import { leadingRole, type TFOptions, type TFTrainingJob } from './tf-options.ts';
import { outcome } from './tf-outcome.ts';
import { TF_DIFFERENCES } from './tf-documented.ts';

export function tfAdapter(): FrameworkAdapter<TFJob, TFOptions> {
  return {
    resource: TF_JOBS,
    definition: tfJobDefinition,
    framework: 'tensorflow',
    documented: TF_DIFFERENCES,
    installHint: 'npx muster crds tensorflow | kubectl apply -f -',
    labels: trainingOperatorLabels(
      OPERATOR_NAMES.TFJob,
      (job: TFTrainingJob, { role, index }) => role === leadingRole(job) && (role.name !== 'Worker' || index === 0),
    ),
    lifecycle: { managers: [MANAGED_BY_TRAINING_OPERATOR] },
    status: { hasSelectors: true },
    problems: (manifest) => problemsWithPorts(tfJobDefinition, manifest, 'tfReplicaSpecs', TF_MAIN),
    read: ({ metadata, spec }) => ({
      roles: readRoles(spec.tfReplicaSpecs, {
        ...TF_MAIN,
        roleNames: TF_ROLES,
        defaultRestartPolicy: 'Never',
        endless: ['PS'],
      }),
      options: {
        isDynamic: spec.enableDynamicWorker ?? false,
        needsAllWorkers: spec.successPolicy === 'AllWorkers',
        isEvaluatorInCluster: metadata?.annotations?.[ANNOTATIONS.evaluatorInCluster] !== 'false',
      },
    }),
    network: {
      addressed(job) {
        const role = leadingRole(job);
        return role && { role, index: 0 };
      },
    },
    pod(job, replica, peers) {
      const value = tfConfig(job, replica, peers);
      return value === undefined ? {} : { mainEnv: [{ name: 'TF_CONFIG', value }] };
    },
    outcome,
  };
}
