/**
 * What jobs of each framework use on behalf of those who write them. Muster makes pods, rights and ways in with its own rights:
 * whoever writes a job has to have the same ones, or a job would be a way around what he is denied.
 */
import type { FrameworkName } from '@muster/job-api';

/** A right in the job's namespace, which whoever writes the job has to have. */
export interface CreatorRight {
  readonly verb: string;
  /** API group; '' is Kubernetes' core. */
  readonly group: string;
  readonly resource: string;
  readonly subresource?: string;
  /** Which jobs take it, in CEL over `object`, `request` and `variables`. All of them unless set. */
  readonly takenWhen?: string;
  /** Ends the sentence "…, and". */
  readonly why: string;
}

export interface TakenRights {
  readonly rights: readonly CreatorRight[];
  /** For what the rights look at, in CEL over `object`. */
  readonly variables?: Readonly<Record<string, string>>;
  /** Which objects of the kind the operator runs, in CEL over `object`. Default: all. */
  readonly runs?: string;
  /** Whether an update changes what a job takes, in CEL over `object` and `oldObject`. */
  readonly changes: string;
}

const PODS: CreatorRight = {
  verb: 'create',
  group: '',
  resource: 'pods',
  why: 'a job runs the pods of its templates, with their accounts, Secrets and volumes',
};

const ANY_CHANGE_OF_SPEC = 'object.spec != oldObject.spec';

/** Generations whose launcher enters the workers; a job of another operator's CRD has no marker of its generation. */
const RUNS_OVER_EXEC = "object.spec.?apiGeneration.orValue(request.kind.version) in ['v1', 'v1alpha1']";

/** The fields of a worker group that Ray's autoscaler writes, with an account that may not create pods. */
const NUMBERS = "['replicas', 'scaleStrategy']";

/** Whether `one` has a field, but for `ignored`, that `other` lacks or has otherwise. */
const differs = (one: string, other: string, ignored: string) =>
  `dyn(${one}).exists(f, !(f in ${ignored}) && !(f in dyn(${other}) && dyn(${one})[f] == dyn(${other})[f]))`;

const groupsOf = (object: string) => `${object}.spec.?workerGroupSpecs.orValue([])`;

/** Whether a worker group of `one` is not among those of `other`, whatever their numbers. */
const hasOtherGroup = (one: string, other: string) =>
  `${groupsOf(one)}.exists(g, !${groupsOf(other)}.exists(h, g.groupName == h.groupName && !${differs('g', 'h', NUMBERS)}))`;

/** Of a RayJob, which has no worker groups at this place, every field counts. */
const MORE_THAN_NUMBERS = [
  ...[
    ['object', 'oldObject'],
    ['oldObject', 'object'],
  ].flatMap(([one = '', other = '']) => [
    differs(`${one}.spec`, `${other}.spec`, "['workerGroupSpecs']"),
    hasOtherGroup(one, other),
  ]),
  // With it the autoscaler may change pods.
  "object.metadata.?annotations[?'ray.io/ippr'] != oldObject.metadata.?annotations[?'ray.io/ippr']",
].join(' || ');

const AUTOSCALES = 'variables.cluster.?enableInTreeAutoscaling.orValue(false)';

const RAY: TakenRights = {
  changes: MORE_THAN_NUMBERS,
  variables: { cluster: "object.kind == 'RayCluster' ? dyn(object.spec) : dyn(object.spec.?rayClusterSpec.orValue({}))" },
  rights: [
    PODS,
    {
      verb: 'patch',
      group: 'ray.io',
      resource: 'rayclusters',
      takenWhen: AUTOSCALES,
      why: 'enableInTreeAutoscaling gives that right to the head, for its cluster',
    },
    {
      verb: 'list',
      group: '',
      resource: 'pods',
      takenWhen: AUTOSCALES,
      why: 'enableInTreeAutoscaling gives that right to the head',
    },
    {
      verb: 'patch',
      group: '',
      resource: 'pods',
      takenWhen: AUTOSCALES,
      why: 'enableInTreeAutoscaling gives that right to the head where pods are resized in place',
    },
    {
      verb: 'create',
      group: 'networking.k8s.io',
      resource: 'ingresses',
      takenWhen: 'variables.cluster.?headGroupSpec.?enableIngress.orValue(false)',
      why: 'enableIngress makes an Ingress of the dashboard',
    },
    {
      verb: 'create',
      group: '',
      resource: 'services',
      takenWhen:
        "variables.cluster.?headGroupSpec.?headService.hasValue() || variables.cluster.?headGroupSpec.?serviceType.orValue('') in ['NodePort', 'LoadBalancer']",
      why: 'headService and serviceType say how the head is reached from outside',
    },
    {
      verb: 'create',
      group: 'networking.k8s.io',
      resource: 'networkpolicies',
      takenWhen: 'variables.cluster.?networkPolicy.hasValue()',
      why: 'networkPolicy allows traffic that other NetworkPolicies of the namespace do not',
    },
  ],
};

const MPI: TakenRights = {
  changes: ANY_CHANGE_OF_SPEC,
  rights: [
    PODS,
    {
      verb: 'create',
      group: '',
      resource: 'pods',
      subresource: 'exec',
      takenWhen: RUNS_OVER_EXEC,
      why: 'the launcher of an MPIJob of v1 or v1alpha1 gets that right, to enter its workers; v2beta1 does without',
    },
  ],
};

/** The same for a framework whose jobs are pods and Services of Muster's own form. */
const PLAIN: TakenRights = { changes: ANY_CHANGE_OF_SPEC, rights: [PODS] };

/** Of Volcano Jobs whose plugin is `plugin`. The Service, keys and claims that they have give nothing beyond what their pods can do. */
export function volcanoRights(plugin: string): TakenRights {
  const runs = `'${plugin}' in object.spec.?plugins.orValue({})`;
  return plugin === 'ray' ? { ...PLAIN, runs, rights: [PODS, OPEN_PORTS] } : { ...PLAIN, runs };
}

const OPEN_PORTS: CreatorRight = {
  verb: 'create',
  group: 'networking.k8s.io',
  resource: 'networkpolicies',
  why: 'the plugin ray lets others reach the head, which other NetworkPolicies of the namespace may not',
};

const OF_FRAMEWORKS: Readonly<Partial<Record<FrameworkName, TakenRights>>> = { mpi: MPI, ray: RAY };

export function takenRights(framework: FrameworkName): TakenRights {
  return OF_FRAMEWORKS[framework] ?? PLAIN;
}
