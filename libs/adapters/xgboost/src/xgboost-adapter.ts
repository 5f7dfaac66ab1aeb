/**
 * The adapter of XGBoostJob. Rules follow kubeflow/training-operator, pkg/controller.v1/xgboost;
 * docs/administrators/differences/xgboostjob.md lists intended differences.
 */
import {
  ownVariableWarnings,
  problemsWithPorts,
  readRoles,
  trainingOperatorLabels,
  type FrameworkAdapter,
  type Problem,
  type ReplicaRole,
} from '@muster/common-job-controller';
import {
  MANAGED_BY_TRAINING_OPERATOR,
  OPERATOR_NAMES,
  XGBOOST_JOBS,
  XGBOOST_ROLES,
  xgboostJobDefinition,
  type XGBoostJob,
} from '@muster/job-api';
import { leader, xgboostEnv } from './xgboost-env.ts';
import { XGBOOST_MAIN } from './xgboost-main.ts';
import { xgboostOutcome } from './xgboost-outcome.ts';
import { XGBOOST_DIFFERENCES } from './xgboost-documented.ts';

const PEERS_MAY_WAIT =
  'Connected pods fail when they lose one, and restart by their own policies. Pods that were connecting at that moment may wait for the ' +
  'lost one. If they do, delete them. To restart all replicas together each time, use a rule with action RestartJob in ' +
  'spec.runPolicy.failurePolicy.';

export function xgboostAdapter(): FrameworkAdapter<XGBoostJob> {
  return {
    resource: XGBOOST_JOBS,
    definition: xgboostJobDefinition,
    framework: 'xgboost',
    documented: XGBOOST_DIFFERENCES,
    installHint: 'npx muster crds xgboost | kubectl apply -f -',
    labels: trainingOperatorLabels(OPERATOR_NAMES.XGBoostJob, (job, { role, index }) => {
      const lead = leader(job);
      return role === lead?.role && index === lead.index;
    }),
    lifecycle: { managers: [MANAGED_BY_TRAINING_OPERATOR] },
    warnings: xgboostWarnings,
    problems: (manifest) => problemsWithPorts(xgboostJobDefinition, manifest, 'xgbReplicaSpecs', XGBOOST_MAIN),
    read: (manifest) => ({ roles: readXGBoostRoles(manifest), options: {} }),
    pod: (job, replica) => ({ env: xgboostEnv(job, replica) }),
    outcome: xgboostOutcome,
    network: { addressed: leader },
    elastic: {
      whyFixed: () =>
        'WORLD_SIZE and WORKER_ADDRS in existing pods differ from those in new ones, because they are set at creation. Restore the number of replicas, or ' +
        'suspend the job, change it, and resume it',
    },
  };
}

function readXGBoostRoles({ spec }: XGBoostJob): ReplicaRole[] {
  const roles = readRoles(spec.xgbReplicaSpecs, {
    ...XGBOOST_MAIN,
    roleNames: XGBOOST_ROLES,
    defaultRestartPolicy: 'Never',
  });
  return roles.map((role) => ({ ...role, peersMayWait: PEERS_MAY_WAIT }));
}

function xgboostWarnings(manifest: XGBoostJob): Problem[] {
  const roles = readXGBoostRoles(manifest);
  const metadata = { name: '', namespace: '', uid: '', ...manifest.metadata };
  return ownVariableWarnings(roles, 'xgbReplicaSpecs', (replica) => xgboostEnv({ metadata, roles }, replica));
}
