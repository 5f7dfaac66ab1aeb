/**
 * Permissions that jobs of each framework use. The operator creates pods, roles and Services with its own permissions, so the creator of a
 * job must have them, too. Otherwise a job would bypass RBAC.
 */
import type { FrameworkName } from '@muster/job-api';

/** A permission in the job's namespace that the creator of the job must have. */
export interface CreatorRight {
  readonly verb: string;
  /** API group; '' is the core group. */
  readonly group: string;
  readonly resource: string;
  readonly subresource?: string;
  /** Jobs that use it, in CEL over `object`, `request` and `variables`. Default: all. */
  readonly usedWhen?: string;
  /** Ends the sentence "…, but". */
  readonly why: string;
}

export interface UsedPermissions {
  readonly rights: readonly CreatorRight[];
  /** Variables for `usedWhen`, in CEL over `object`. */
  readonly variables?: Readonly<Record<string, string>>;
  /** Objects of the kind that the operator reconciles, in CEL over `object`. Default: all. */
  readonly runs?: string;
  /** Updates that change what a job uses, in CEL over `object` and `oldObject`. */
  readonly changes: string;
}

const PODS: CreatorRight = {
  verb: 'create',
  group: '',
  resource: 'pods',
  why: 'a job runs the pods of its templates, with their ServiceAccounts, Secrets and volumes',
};

const ANY_CHANGE_OF_SPEC = 'object.spec != oldObject.spec';

/** Generations whose launcher uses pods/exec of the workers. A job of another operator's CRD has no `apiGeneration`. */
const RUNS_OVER_EXEC = "object.spec.?apiGeneration.orValue(request.kind.version) in ['v1', 'v1alpha1']";

/** Fields of a worker group that Ray's autoscaler writes. Its ServiceAccount may not create pods. */
const NUMBERS = "['replicas', 'scaleStrategy']";

/** Whether `one` has a field, except `ignored`, that is missing or different in `other`. */
const differs = (one: string, other: string, ignored: string) =>
  `dyn(${one}).exists(f, !(f in ${ignored}) && !(f in dyn(${other}) && dyn(${one})[f] == dyn(${other})[f]))`;

const groupsOf = (object: string) => `${object}.spec.?workerGroupSpecs.orValue([])`;

/** Whether `other` lacks a worker group of `one`. Ignores numbers of replicas. */
const hasOtherGroup = (one: string, other: string) =>
  `${groupsOf(one)}.exists(g, !${groupsOf(other)}.exists(h, g.groupName == h.groupName && !${differs('g', 'h', NUMBERS)}))`;

/** Other kinds than RayCluster have no worker groups at this path, so every field counts. */
const MORE_THAN_NUMBERS = [
  ...[
    ['object', 'oldObject'],
    ['oldObject', 'object'],
  ].flatMap(([one = '', other = '']) => [
    differs(`${one}.spec`, `${other}.spec`, "['workerGroupSpecs']"),
    hasOtherGroup(one, other),
  ]),
  // Lets the autoscaler change pods.
  "object.metadata.?annotations[?'ray.io/ippr'] != oldObject.metadata.?annotations[?'ray.io/ippr']",
].join(' || ');

const AUTOSCALES = 'variables.cluster.?enableInTreeAutoscaling.orValue(false)';

const RAY: UsedPermissions = {
  changes: MORE_THAN_NUMBERS,
  variables: {
    cluster: [
      "object.kind == 'RayCluster' ? dyn(object.spec)",
      "object.kind == 'RayService' ? dyn(object.spec.?rayClusterConfig.orValue({}))",
      "object.kind == 'RayCronJob' ? dyn(object.spec.?jobTemplate.?rayClusterSpec.orValue({}))",
      'dyn(object.spec.?rayClusterSpec.orValue({}))',
    ].join(' : '),
  },
  rights: [
    PODS,
    {
      verb: 'patch',
      group: 'ray.io',
      resource: 'rayclusters',
      usedWhen: AUTOSCALES,
      why: 'enableInTreeAutoscaling grants this permission to the head, for its cluster',
    },
    {
      verb: 'list',
      group: '',
      resource: 'pods',
      usedWhen: AUTOSCALES,
      why: 'enableInTreeAutoscaling grants this permission to the head',
    },
    {
      verb: 'patch',
      group: '',
      resource: 'pods',
      usedWhen: AUTOSCALES,
      why: 'enableInTreeAutoscaling grants this permission to the head to resize pods in place',
    },
    {
      verb: 'create',
      group: 'networking.k8s.io',
      resource: 'ingresses',
      usedWhen: 'variables.cluster.?headGroupSpec.?enableIngress.orValue(false)',
      why: 'enableIngress creates an Ingress for the dashboard',
    },
    {
      verb: 'create',
      group: '',
      resource: 'services',
      usedWhen:
        "variables.cluster.?headGroupSpec.?headService.hasValue() || variables.cluster.?headGroupSpec.?serviceType.orValue('') in ['NodePort', 'LoadBalancer'] || dyn(object.spec).?serveService.hasValue()",
      why: 'headService, serviceType and serveService expose pods',
    },
    {
      verb: 'create',
      group: 'networking.k8s.io',
      resource: 'networkpolicies',
      usedWhen: 'variables.cluster.?networkPolicy.hasValue()',
      why: 'networkPolicy can allow traffic that other NetworkPolicies of the namespace do not allow',
    },
    ...['gateways', 'httproutes'].map((resource) => ({
      verb: 'create' as const,
      group: 'gateway.networking.k8s.io',
      resource,
      usedWhen: "dyn(object.spec).?upgradeStrategy.?type.orValue('') == 'NewClusterWithIncrementalUpgrade'",
      why: 'an incremental upgrade creates a Gateway and an HTTPRoute',
    })),
  ],
};

const MPI: UsedPermissions = {
  changes: ANY_CHANGE_OF_SPEC,
  rights: [
    PODS,
    {
      verb: 'create',
      group: '',
      resource: 'pods',
      subresource: 'exec',
      usedWhen: RUNS_OVER_EXEC,
      why: 'the launcher of an MPIJob of v1 or v1alpha1 gets this permission to start processes in its workers (v2beta1 does not need it)',
    },
  ],
};

/** For frameworks whose jobs create only pods and Services. */
const PLAIN: UsedPermissions = { changes: ANY_CHANGE_OF_SPEC, rights: [PODS] };

/** For Volcano Jobs with this plugin. Their Services, keys and claims add nothing to what their pods can do. */
export function volcanoRights(plugin: string): UsedPermissions {
  const runs = `'${plugin}' in object.spec.?plugins.orValue({})`;
  return plugin === 'ray' ? { ...PLAIN, runs, rights: [PODS, OPEN_PORTS] } : { ...PLAIN, runs };
}

const OPEN_PORTS: CreatorRight = {
  verb: 'create',
  group: 'networking.k8s.io',
  resource: 'networkpolicies',
  why: 'the plugin ray allows connections to the head that other NetworkPolicies of the namespace may not allow',
};

const OF_FRAMEWORKS: Readonly<Partial<Record<FrameworkName, UsedPermissions>>> = { mpi: MPI, ray: RAY };

export function usedPermissions(framework: FrameworkName): UsedPermissions {
  return OF_FRAMEWORKS[framework] ?? PLAIN;
}
