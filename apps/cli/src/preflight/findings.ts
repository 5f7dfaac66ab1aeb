/**
 * What of a cluster would keep an operator that is installed now from its jobs: CRDs that Helm does not take over, webhooks that refuse every
 * job because nobody answers them, and other operators of the same kinds that still run. Pure: what was read is given.
 */
import type { CustomResourceDefinition, KubeObject, Resource } from '@muster/job-api';

/** One thing in the way, and the command that mends it. */
export interface Finding {
  readonly what: string;
  readonly mend: string;
}

export interface WebhookConfiguration extends KubeObject {
  readonly webhooks?: readonly {
    readonly name: string;
    readonly failurePolicy?: string;
    readonly clientConfig?: { readonly service?: { readonly namespace: string; readonly name: string } };
    readonly rules?: readonly { readonly apiGroups?: readonly string[]; readonly resources?: readonly string[] }[];
  }[];
}

export interface Deployment extends KubeObject {
  readonly spec?: {
    readonly replicas?: number;
    readonly template?: { readonly spec?: { readonly containers?: readonly { readonly image?: string }[] } };
  };
}

export interface SeenCluster {
  /** Those of the framework's kinds that are there. */
  readonly crds: readonly CustomResourceDefinition[];
  /** Each with the plural of its own kind: `validatingwebhookconfigurations`. */
  readonly webhooks: readonly { readonly plural: string; readonly configuration: WebhookConfiguration }[];
  /** Services that have an endpoint which is ready, as `namespace/name`. */
  readonly answering: ReadonlySet<string>;
  readonly deployments: readonly Deployment[];
}

/** Images of the operators that run the same kinds, by a part of their names that registries and tags leave as it is. */
const OTHER_OPERATORS: Readonly<Record<string, readonly string[]>> = {
  tensorflow: ['kubeflow/training-operator'],
  'pytorch-elastic': ['kubeflow/training-operator'],
  mxnet: ['kubeflow/training-operator', 'kubeflow/mxnet-operator'],
  mpi: ['kubeflow/training-operator', 'mpioperator/mpi-operator', 'kubeflow/mpi-operator'],
  ray: ['kuberay/operator'],
};

const HELM_RELEASE = 'meta.helm.sh/release-name';
const HELM_NAMESPACE = 'meta.helm.sh/release-namespace';

/** In the order in which they are to be mended. @param release of the chart that is to be installed, and its namespace */
export function findings(
  framework: string,
  resources: readonly Resource[],
  seen: SeenCluster,
  release: { readonly name: string; readonly namespace: string },
): Finding[] {
  return [
    ...seen.deployments.flatMap((deployment) => otherOperator(framework, deployment)),
    ...seen.webhooks.flatMap(({ plural, configuration }) => blockingWebhook(plural, configuration, resources, seen)),
    ...foreignCrds(framework, seen.crds, release),
  ];
}

function otherOperator(framework: string, { metadata = {}, spec }: Deployment): Finding[] {
  const images = spec?.template?.spec?.containers?.map(({ image = '' }) => image) ?? [];
  const image = images.find((each) => OTHER_OPERATORS[framework]?.some((part) => each.includes(part)));
  if (image === undefined || spec?.replicas === 0) return [];
  const { namespace = '', name = '' } = metadata;
  return [
    {
      what: `Deployment ${namespace}/${name} runs ${image}, an operator of the same kinds: two operators must not run the same jobs.`,
      mend: `kubectl -n ${namespace} scale deployment ${name} --replicas=0`,
    },
  ];
}

function blockingWebhook(
  plural: string,
  { metadata = {}, webhooks = [] }: WebhookConfiguration,
  resources: readonly Resource[],
  { answering }: SeenCluster,
): Finding[] {
  const blocking = webhooks.filter(({ failurePolicy = 'Fail', clientConfig, rules = [] }) => {
    const { service } = clientConfig ?? {};
    const isAnswered = service === undefined || answering.has(`${service.namespace}/${service.name}`);
    return (
      failurePolicy === 'Fail' && !isAnswered && rules.some((rule) => resources.some((one) => concerns(rule, one)))
    );
  });
  if (blocking.length === 0) return [];
  const { name = '' } = metadata;
  const kind = plural === 'mutatingwebhookconfigurations' ? 'mutating' : 'validating';
  return [
    {
      what: `The ${kind} webhook ${blocking.map((each) => each.name).join(', ')} refuses every job that is made or changed, because nobody answers it.`,
      mend: `kubectl delete ${kind}webhookconfiguration ${name}`,
    },
  ];
}

function concerns(
  { apiGroups = [], resources = [] }: { apiGroups?: readonly string[]; resources?: readonly string[] },
  { group, plural }: Resource,
): boolean {
  const inGroup = apiGroups.some((each) => each === '*' || each === group);
  return inGroup && resources.some((each) => ['*', '*/*', plural, `${plural}/*`].includes(each));
}

/** Helm takes over nothing that another has made. */
function foreignCrds(
  framework: string,
  crds: readonly CustomResourceDefinition[],
  release: { readonly name: string; readonly namespace: string },
): Finding[] {
  return crds.flatMap(({ metadata = {} }) => {
    const { [HELM_RELEASE]: owner, [HELM_NAMESPACE]: namespace } = metadata.annotations ?? {};
    if (owner === release.name && namespace === release.namespace) return [];
    const what = `The CRD ${metadata.name} is there already, and `;
    if (owner !== undefined) {
      return [
        {
          what: `${what}belongs to the release ${owner} in ${namespace}.`,
          mend: `helm install ${release.name} charts/${framework} --namespace ${release.namespace} --set crds.install=false …`,
        },
      ];
    }
    return [
      {
        what: `${what}was not made by Helm.`,
        mend: `helm install ${release.name} charts/${framework} --namespace ${release.namespace} --take-ownership --force-conflicts …`,
      },
    ];
  });
}
