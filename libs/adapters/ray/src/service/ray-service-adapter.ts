/**
 * The adapter of RayService: a kind without pods of its own, which owns RayClusters and the Services of the one that
 * serves. `read` evaluates `service-step.ts` once per reconcile run; status, objects and calls derive from that step.
 */
import {
  ageOf,
  deletionOf,
  type DesiredResource,
  type FinalizeStep,
  type FrameworkAdapter,
  type JobLabels,
  type Outcome,
  type OwnedKind,
  type OwnedResource,
  type StateAges,
} from '@muster/common-job-controller';
import {
  MANAGED_BY_KUBERAY,
  RAY_CLUSTERS,
  RAY_SERVICES,
  SERVICES,
  type RayService,
  rayServiceDefinition,
} from '@muster/job-api';
import { DEFAULT_RAY_SETTINGS, recordedSettings, type RaySettings } from '../cluster/ray-settings.ts';
import { RAY_LABELS } from '../model/ray-labels.ts';
import { GATEWAYS, HTTP_ROUTES } from '../serve/gateway-objects.ts';
import { headLabels } from './head-labels.ts';
import { incrementalResources } from './incremental-objects.ts';
import { isIncremental } from './incremental-upgrade.ts';
import { inheritedServiceRecord } from './legacy-service-record.ts';
import { observedService } from './observe-service.ts';
import { RAY_SERVICE_GAUGES } from './ray-service-gauges.ts';
import { clusterResources } from './service-clusters.ts';
import { serviceLabels } from './service-names.ts';
import { polledProbes } from './service-probes.ts';
import { rayServiceProblems, rayServiceWarnings } from './service-problems.ts';
import { serviceResources } from './service-services.ts';
import { rayServiceStatus, type EvaluatedService } from './service-status.ts';
import { serviceStep } from './service-step.ts';
import { RAY_SERVICE_DIFFERENCES } from '../ray-documented.ts';

const owned = (resource: OwnedKind['resource']): OwnedKind => ({
  resource,
  ...{ endsWithRun: true, isAlwaysLabelled: true },
  trim: (object) => object,
});

/** Only for incremental upgrades. */
const OF_GATEWAY_API: readonly OwnedKind[] = [GATEWAYS, HTTP_ROUTES].map((resource) => ({
  ...owned(resource),
  mayBeAbsent: true,
}));

const KINDS: readonly OwnedKind[] = [owned(RAY_CLUSTERS), owned(SERVICES), ...OF_GATEWAY_API];

/** KubeRay's. It keeps a deleted RayService until its clusters are gone. */
const FINALIZER = 'ray.io/rayservice-finalizer';

/** A cluster may wait 5 minutes for the clean-up of Redis. */
const DELETION_LIMIT_MS = 600_000;

const labels: JobLabels<EvaluatedService> = {
  selector: { key: RAY_LABELS.originKind, values: ['RayService'] },
  ofJob: serviceLabels,
  jobOf: ({ [RAY_LABELS.originKind]: kind, [RAY_LABELS.originName]: name }) =>
    kind === 'RayService' ? name : undefined,
  ofPod: () => ({}),
  replicaOf: () => undefined,
};

export function rayServiceAdapter(
  overrides: Partial<RaySettings> = {},
): FrameworkAdapter<RayService, EvaluatedService> {
  const { clusterDomain } = { ...DEFAULT_RAY_SETTINGS, ...overrides };
  return {
    resource: RAY_SERVICES,
    definition: rayServiceDefinition,
    ...{ framework: 'ray', madeWith: recordedSettings(overrides) },
    documented: RAY_SERVICE_DIFFERENCES,
    installHint: 'npx muster crds ray | kubectl apply -f -',
    // A cluster may have the CustomResourceDefinitions of an earlier Muster, which lack it.
    isOptional: true,
    labels,
    lifecycle: {
      managers: [MANAGED_BY_KUBERAY],
      ...{ hasBackoffLimit: false, appliesLastSpec: true },
      runPolicy: ({ spec }) => ({
        suspend: spec.suspend ?? false,
        ...(spec.managedBy !== undefined && { managedBy: spec.managedBy }),
      }),
    },
    problems: rayServiceProblems,
    warnings: rayServiceWarnings,
    read(manifest, context) {
      const observed = observedService(manifest, context, clusterDomain);
      return { roles: [], options: { manifest, observed, step: serviceStep(observed) } };
    },
    pod: () => ({}),
    outcome: ({ options }) => outcomeOf(options),
    podLabels: { of: ({ options }) => headLabels(options) },
    probes: {
      sendsToServices: true,
      polled(manifest, context) {
        const observed = observedService(manifest, context, clusterDomain);
        const { active, pending } = observed.record;
        return polledProbes(
          observed,
          [active, pending].flatMap((side) => side ?? []),
        );
      },
      calls: ({ options: { step } }) => step.calls,
    },
    ownedResources: {
      kinds: KINDS,
      desired: ({ options }, _replicas, { ownedResources }) => [
        ...clusterResources(options),
        ...serviceResources(
          options,
          ownedResources.flatMap(({ kind, object }) => (kind.resource === SERVICES ? [object] : [])),
        ),
        ...routeResources(options, ownedResources),
      ],
    },
    status: { recordIn: 'muster', inherited: inheritedServiceRecord, encode: rayServiceStatus },
    gauges: RAY_SERVICE_GAUGES,
    finalize: {
      name: FINALIZER,
      step: ({ options }, _replicas, { stateAges }) => finalizeStep(options, stateAges),
    },
  };
}

/** An invalid spec keeps them as they are. */
function routeResources(evaluated: EvaluatedService, existing: readonly OwnedResource[]): DesiredResource[] {
  const { observed, step } = evaluated;
  if (step.suspension !== undefined || step.hasTimedOut) return [];
  if (isIncremental(observed)) return incrementalResources(evaluated);
  if (observed.invalid === undefined) return [];
  return existing
    .filter(({ kind }) => OF_GATEWAY_API.some(({ resource }) => resource === kind.resource))
    .map(({ kind, object }) => ({ resource: kind.resource, object, change: () => undefined }));
}

function finalizeStep({ manifest, observed }: EvaluatedService, ages: StateAges): FinalizeStep {
  const ageMs = ageOf(ages, deletionOf(manifest));
  if (observed.clusters.length === 0 || ageMs >= DELETION_LIMIT_MS) return { isDone: true };
  return { isDone: false, recheckAfterMs: DELETION_LIMIT_MS - ageMs };
}

function outcomeOf({ observed: { name }, step }: EvaluatedService): Outcome {
  const { warnings, recheckAfterMs, endpoints } = step;
  const again = { warnings, ...(recheckAfterMs !== undefined && { recheckAfterMs }) };
  if (endpoints === 0) return { phase: 'Pending', ...again };
  return { phase: 'Running', message: `RayService ${name} serves requests.`, ...again };
}
