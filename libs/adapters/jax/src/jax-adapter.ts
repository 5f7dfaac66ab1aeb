/**
 * The adapter of JAXJob. Rules follow kubeflow/training-operator, pkg/controller.v1/jax; docs/administrators/differences/jaxjob.md lists
 * intended differences.
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
  JAX_JOBS,
  JAX_ROLES,
  jaxJobDefinition,
  type JAXJob,
} from '@muster/job-api';
import { jaxEnv, leader } from './jax-env.ts';
import { JAX_MAIN } from './jax-main.ts';
import { jaxOutcome } from './jax-outcome.ts';
import { JAX_DIFFERENCES } from './jax-documented.ts';

export function jaxAdapter(): FrameworkAdapter<JAXJob> {
  return {
    resource: JAX_JOBS,
    definition: jaxJobDefinition,
    framework: 'jax',
    documented: JAX_DIFFERENCES,
    installHint: 'npx muster crds jax | kubectl apply -f -',
    labels: trainingOperatorLabels(OPERATOR_NAMES.JAXJob, (job, { role, index }) => {
      const lead = leader(job);
      return role === lead?.role && index === lead.index;
    }),
    lifecycle: { managers: [MANAGED_BY_TRAINING_OPERATOR] },
    status: { hasSelectors: true },
    warnings: jaxWarnings,
    problems: (manifest) => problemsWithPorts(jaxJobDefinition, manifest, 'jaxReplicaSpecs', JAX_MAIN),
    // Without `peersMayWait`: JAX's coordinator ends the other processes when one is lost, or connects again.
    read: (manifest) => ({ roles: readJAXRoles(manifest), options: {} }),
    pod: (job, replica) => ({ env: jaxEnv(job, replica) }),
    outcome: jaxOutcome,
    network: { addressed: leader },
    elastic: {
      whyFixed: () =>
        'NUM_PROCESSES in existing pods differs from that in new ones, because it is set at creation: JAX accepts exactly that many ' +
        'processes. Restore the number of replicas, or suspend the job, change it, and resume it',
    },
  };
}

function readJAXRoles({ spec }: JAXJob): ReplicaRole[] {
  return readRoles(spec.jaxReplicaSpecs, { ...JAX_MAIN, roleNames: JAX_ROLES, defaultRestartPolicy: 'Never' });
}

function jaxWarnings(manifest: JAXJob): Problem[] {
  const roles = readJAXRoles(manifest);
  const metadata = { name: '', namespace: '', uid: '', ...manifest.metadata };
  return ownVariableWarnings(roles, 'jaxReplicaSpecs', (replica) => jaxEnv({ metadata, roles }, replica));
}
