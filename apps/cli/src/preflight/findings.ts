/**
 * Finds what prevents an installation: CRDs that Helm does not take over, webhooks without endpoints that refuse every job or its pods, and
 * running operators of the same kinds, including Muster's. Pure.
 */
import { PODS, PYTORCH_JOBS, type CustomResourceDefinition, type Resource } from '@muster/job-api';
import { musterOperators } from './muster-operators.ts';
import type { Deployment, Finding, Release, ClusterState, Webhook, WebhookConfiguration } from './seen-cluster.ts';

/**
 * Images of other operators of the same kinds, beside the training operator. Only the last part of a name counts, or the last two if that is
 * `operator`.
 */
const OTHER_OPERATORS: Readonly<Record<string, readonly string[]>> = {
  tensorflow: ['kubeflow/tf-operator', 'kubeflow/tf_operator'],
  'pytorch-elastic': ['kubeflow/pytorch-operator'],
  mxnet: ['kubeflow/mxnet-operator'],
  xgboost: ['kubeflow/xgboost-operator'],
  mpi: ['kubeflow/mpi-operator'],
  ray: ['kuberay/operator', 'kuberay/kuberay-operator'],
};

const HELM_RELEASE = 'meta.helm.sh/release-name';
const HELM_NAMESPACE = 'meta.helm.sh/release-namespace';

/** In the order in which they should be fixed. */
export function findings(
  framework: string,
  resources: readonly Resource[],
  seen: ClusterState,
  release: Release,
): Finding[] {
  const operators = musterOperators(framework, resources, seen, release);
  return [
    ...seen.deployments.flatMap((deployment) => otherOperator(otherOperators(framework, resources), deployment)),
    ...operators.map(({ finding }) => finding),
    ...seen.webhooks.flatMap(({ plural, configuration }) => blockingWebhook(plural, configuration, resources, seen)),
    ...foreignCrds(framework, seen.crds, release, operators),
  ];
}

function otherOperators(framework: string, resources: readonly Resource[]): string[] {
  const ofKubeflow = resources.some(({ group }) => group === PYTORCH_JOBS.group) ? ['kubeflow/training-operator'] : [];
  return [...ofKubeflow, ...(OTHER_OPERATORS[framework] ?? [])].map(programOf);
}

function otherOperator(others: readonly string[], { metadata = {}, spec }: Deployment): Finding[] {
  const images = spec?.template?.spec?.containers?.map(({ image = '' }) => image) ?? [];
  const image = images.find((each) => others.includes(programOf(each)));
  if (image === undefined || spec?.replicas === 0) return [];
  const { namespace = '', name = '' } = metadata;
  return [
    {
      problem: `Deployment ${namespace}/${name} runs ${image}, an operator of the same kinds: two operators must not run the same jobs.`,
      fix: `kubectl -n ${namespace} scale deployment ${name} --replicas=0`,
    },
  ];
}

/** The program of an image, whatever its registry, its mirror and its tag. */
function programOf(image: string): string {
  const [name = ''] = image.split('@');
  const parts = name.split('/');
  const last = (parts.at(-1) ?? '').replace(/:.*$/, '');
  return last === 'operator' ? `${parts.at(-2)}/${last}` : last;
}

function blockingWebhook(
  plural: string,
  { metadata = {}, webhooks = [] }: WebhookConfiguration,
  resources: readonly Resource[],
  { answering }: ClusterState,
): Finding[] {
  const refusing = webhooks.filter(({ failurePolicy = 'Fail', clientConfig: { service } = {} }) => {
    const isAnswered = service === undefined || answering.has(`${service.namespace}/${service.name}`);
    return failurePolicy === 'Fail' && !isAnswered;
  });
  const ofJobs = refusing.filter(({ rules = [] }) =>
    rules.some((rule) => resources.some((resource) => concerns(rule, resource))),
  );
  const ofPods = refusing.filter((webhook) => !ofJobs.includes(webhook) && isForPodsOf(resources, webhook));
  const kind = plural === 'mutatingwebhookconfigurations' ? 'mutating' : 'validating';
  const refuses = (those: readonly Webhook[], what: string) =>
    those.length === 0 ? [] : [`${those.map(({ name }) => name).join(', ')} refuses ${what}`];
  const what = [...refuses(ofJobs, 'every created or changed job'), ...refuses(ofPods, 'new pods of these jobs')].join(
    ', and ',
  );
  if (what === '') return [];
  return [
    {
      problem: `The ${kind} webhook ${what}, because its Service has no ready endpoint.`,
      fix: `kubectl delete ${kind}webhookconfiguration ${metadata.name}`,
    },
  ];
}

/**
 * True for a webhook that selects pods by a label of the jobs' API group, such as `ray.io/node-type`. Other webhooks for
 * pods do not belong to an operator of these jobs.
 */
function isForPodsOf(resources: readonly Resource[], { objectSelector = {}, rules = [] }: Webhook): boolean {
  const { matchLabels = {}, matchExpressions = [] } = objectSelector;
  const domains = [...Object.keys(matchLabels), ...matchExpressions.map(({ key }) => key)].map(
    (key) => key.split('/')[0] ?? '',
  );
  const isOfGroup = resources.some(({ group }) =>
    domains.some((domain) => domain === group || domain.endsWith(`.${group}`)),
  );
  return isOfGroup && rules.some((rule) => concerns(rule, PODS));
}

function concerns(
  { apiGroups = [], resources = [] }: { apiGroups?: readonly string[]; resources?: readonly string[] },
  { group, plural }: Pick<Resource, 'group' | 'plural'>,
): boolean {
  const inGroup = apiGroups.some((each) => each === '*' || each === group);
  return inGroup && resources.some((each) => ['*', '*/*', plural, `${plural}/*`].includes(each));
}

/** Helm does not take over CRDs of others. If a release is to be upgraded instead, its CRDs are no problem. */
function foreignCrds(
  framework: string,
  crds: readonly CustomResourceDefinition[],
  { name, namespace, watched }: Release,
  operators: readonly { readonly release?: { readonly name: string; readonly namespace: string } }[],
): Finding[] {
  const install = `helm install ${name} charts/${framework} --namespace ${namespace}`;
  const scope =
    watched.length === 0 ? '' : ` --set watch.scope=namespaces --set 'watch.namespaces={${watched.join(',')}}'`;
  return crds.flatMap(({ metadata = {} }) => {
    const { [HELM_RELEASE]: owner, [HELM_NAMESPACE]: ownerNamespace } = metadata.annotations ?? {};
    if (owner === name && ownerNamespace === namespace) return [];
    const isUpgraded = ({ release }: (typeof operators)[number]) =>
      release !== undefined && release.name === owner && release.namespace === ownerNamespace;
    if (operators.some(isUpgraded)) return [];
    const what = `The CRD ${metadata.name} already exists and `;
    if (owner !== undefined) {
      return [
        {
          problem: `${what}belongs to the Helm release ${owner} in namespace ${ownerNamespace}.`,
          fix: `${install}${scope} --set crds.install=false …`,
        },
      ];
    }
    return [
      { problem: `${what}was not created by Helm.`, fix: `${install}${scope} --take-ownership --force-conflicts …` },
    ];
  });
}
