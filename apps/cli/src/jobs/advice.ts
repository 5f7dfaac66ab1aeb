/**
 * Next steps for a pod that does not start, or for the end of a container: sentences, which begin with a capital letter, or
 * commands. They name the field, the object or the limit. Pure.
 */
import { RAY_HEAD_GROUP, type Container, type Pod, type PodSpec } from '@muster/job-api';
import { corrected } from './correction.ts';
import { adviceOnEarlierTemplate } from './earlier-template.ts';
import type { JobView } from './job-view.ts';

/** A role, and a container of its pod template. */
interface Place {
  readonly role: string;
  readonly container?: string | undefined;
}

interface Trouble extends Place {
  /** The reason of the scheduler or the kubelet. */
  readonly reason: string;
  readonly message: string;
  /** The pods of the role that do not start because of it. */
  readonly pods?: readonly Pod[];
}

/** Empty for unknown causes. */
export function adviceOnProblem(view: JobView, trouble: Trouble): string[] {
  const { reason, message } = trouble;
  const objects = adviceOnObject(view, message);
  if (objects !== undefined) return [objects];
  const ofPods = adviceOnEarlierTemplate(specOf(view, trouble), trouble, view.manifest.metadata?.generation);
  if (ofPods.length > 0) return ofPods;
  if (/Image|Registry/.test(reason) && !reason.startsWith('CreateContainer')) return adviceOnImage(view, trouble);
  if (reason === 'Unschedulable') return adviceOnPlacement(view, trouble);
  if (/^(RunContainerError|StartError)$/.test(reason)) return adviceOnCommand(view, trouble);
  return [];
}

interface End extends Place {
  readonly exitCode?: number | undefined;
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
}

/** Empty if only the log of the program shows the cause. */
export function adviceOnEnd(view: JobView, end: End): string[] {
  const { reason = '', message = '', exitCode } = end;
  const { template } = placeOf(view, end);
  if (reason === 'OOMKilled') {
    const limit = containerOf(view, end)?.resources?.limits?.['memory'];
    const current = limit === undefined ? '' : ` (${String(limit)})`;
    const field = fieldOf(view, end, 'resources.limits.memory');
    return corrected(view, `Raise ${field}${current} or reduce the memory use of the program`);
  }
  if (/^(StartError|ContainerCannotRun|RunContainerError)$/.test(reason) || (exitCode === 128 && reason !== 'Error'))
    return adviceOnCommand(view, end);
  if (reason === 'DeadlineExceeded') {
    const { activeDeadlineSeconds } = specOf(view, end) ?? {};
    return corrected(view, `Raise ${template}.activeDeadlineSeconds (${activeDeadlineSeconds ?? 'unset'})`);
  }
  const volume = /EmptyDir volume "([^"]+)" exceeds the limit "([^"]+)"/.exec(message);
  if (volume !== null)
    return corrected(view, `Raise the sizeLimit of the volume ${volume[1]} in ${template}.volumes (${volume[2]})`);
  const lack = /^OutOf(\w+)$/.exec(reason)?.[1];
  if (lack !== undefined)
    return corrected(view, `Lower ${fieldOf(view, end, `resources.requests.${lack}`)} or select a node with more`);
  if (/Image|Registry/.test(reason)) return adviceOnImage(view, end);
  return adviceOnProblem(view, { ...end, reason, message });
}

/** For an object that a pod refers to. */
function adviceOnObject({ manifest }: JobView, message: string): string | undefined {
  const where = `in namespace ${manifest.metadata?.namespace ?? 'default'}`;
  const key = /couldn't find key (\S+) in (ConfigMap|Secret) (?:\S+\/)?([\w.-]*\w)/i.exec(message);
  if (key !== null) return `Add the key ${key[1]} to ${key[2]} ${key[3]} ${where}`;
  const nonExistent = /references non-existent (secret|config) key: (\S+)/.exec(message);
  if (nonExistent !== null) return `Add the key ${nonExistent[2]} to the object that the volume names, ${where}`;
  const missing = /(secret|configmap|persistentvolumeclaim|serviceaccount) "([^"]+)" not found/i.exec(message);
  if (missing === null) return undefined;
  const kind = KIND_NAMES[(missing[1] ?? '').toLowerCase()];
  return `Create ${kind} ${missing[2]} ${where}; then the pod starts`;
}

const KIND_NAMES: Readonly<Partial<Record<string, string>>> = {
  secret: 'Secret',
  configmap: 'ConfigMap',
  persistentvolumeclaim: 'PersistentVolumeClaim',
  serviceaccount: 'ServiceAccount',
};

function adviceOnImage(view: JobView, { message = '', ...place }: Place & { readonly message?: string | undefined }) {
  const image = containerOf(view, place)?.image;
  const which = image === undefined ? '' : ` (${image})`;
  if (/\b40[13]\b|unauthorized|authorization failed|access denied|no basic auth/i.test(message)) {
    const { template } = placeOf(view, place);
    return corrected(
      view,
      `Create a Secret with the registry's credentials, and add it to ${template}.imagePullSecrets${which}`,
    );
  }
  const isNetwork = /dial tcp|i\/o timeout|no such host|name resolution|connection refused/i.test(message);
  return [
    ...corrected(view, `Correct ${fieldOf(view, place, 'image')}${which}, or make that image available to the nodes`),
    ...(isNetwork
      ? ['If the image is correct, check the network and the DNS of the nodes: they do not reach its registry']
      : []),
  ];
}

function adviceOnPlacement(view: JobView, { message, ...place }: Trouble): string[] {
  const spec = specOf(view, place);
  const { template } = placeOf(view, place);
  const claims = (spec?.volumes ?? []).flatMap(({ persistentVolumeClaim: claim }) => claim?.claimName ?? []);
  if (message.includes('PersistentVolumeClaim') && claims.length > 0)
    return [`kubectl describe pvc ${claims.join(' ')}`];
  const lack = /Insufficient ([\w./-]*\w)/.exec(message)?.[1];
  if (lack !== undefined) {
    const { requests, limits } = (spec?.containers[0]?.resources ?? {}) as Partial<
      Record<string, Record<string, string | number>>
    >;
    const amount = requests?.[lack] ?? limits?.[lack];
    // A limit without a request is the request, too.
    const list = requests?.[lack] === undefined && amount !== undefined ? 'limits' : 'requests';
    const current = amount === undefined ? '' : ` (${amount})`;
    return [
      ...corrected(view, `Lower ${fieldOf(view, place, `resources.${list}[${lack}]`)}${current}, or add nodes`),
      'kubectl describe nodes',
    ];
  }
  const labels = Object.entries(spec?.nodeSelector ?? {}).map(([key, value]) => `${key}=${value}`);
  if (message.includes('node affinity/selector')) {
    const field = labels.length > 0 ? `${template}.nodeSelector (${labels.join(',')})` : `${template}.affinity`;
    return [
      ...corrected(view, `Correct ${field}, or label a node so that it matches`),
      'kubectl get nodes --show-labels',
    ];
  }
  if (message.includes('untolerated taint'))
    return [
      ...corrected(view, `Add ${template}.tolerations for the taint, or remove the taint from a node`),
      'kubectl describe nodes',
    ];
  return ['kubectl describe nodes'];
}

function adviceOnCommand(view: JobView, place: Place): string[] {
  const { command, args } = containerOf(view, place) ?? {};
  const line = [...(command ?? []), ...(args ?? [])].join(' ');
  const current = line === '' ? '' : ` (${line.length > 60 ? `${line.slice(0, 59)}…` : line})`;
  return corrected(view, `Correct ${fieldOf(view, place, 'command')}${current} or use an image that contains it`);
}

/** The path of a container's field, from the root of the manifest if that is known. */
export function fieldOf(view: JobView, place: Place, field: string): string {
  const { template } = placeOf(view, place);
  const spec = specOf(view, place);
  for (const list of ['containers', 'initContainers'] as const) {
    const each = spec?.[list] ?? [];
    const at = place.container === undefined ? 0 : each.findIndex(({ name }) => name === place.container);
    if (each[at] !== undefined) return `${template}.${list}[${at}].${field}`;
  }
  return `${field} of container ${place.container ?? ''}`.trim();
}

function containerOf(view: JobView, place: Place): Container | undefined {
  const { containers = [], initContainers = [] } = specOf(view, place) ?? {};
  if (place.container === undefined) return containers[0];
  return [...containers, ...initContainers].find(({ name }) => name === place.container);
}

function specOf(view: JobView, place: Place): PodSpec | undefined {
  return placeOf(view, place).spec;
}

interface Template {
  readonly template?: { readonly spec?: PodSpec };
}

/** The path is known for kinds with a map of roles, and for the groups of a Ray cluster. */
function placeOf(
  { manifest }: JobView,
  { role }: Place,
): { readonly template: string; readonly spec?: PodSpec | undefined } {
  const isRole = (name: string) => name.toLowerCase() === role.toLowerCase();
  const found = templatesOf(Object(manifest.spec) as object).find(({ name }) => isRole(name));
  if (found === undefined) return { template: `the pod template of ${role}` };
  return { template: `spec.${found.path}.template.spec`, spec: found.template?.spec };
}

function templatesOf(spec: object): (Template & { readonly name: string; readonly path: string })[] {
  const { headGroupSpec, workerGroupSpecs = [] } = rayClusterOf(spec);
  const inRayJob = 'rayClusterSpec' in spec ? 'rayClusterSpec.' : '';
  return [
    ...Object.entries(spec)
      .filter(([field]) => field.endsWith('ReplicaSpecs'))
      .flatMap(([field, roles]) =>
        Object.entries(Object(roles) as Record<string, Template>).map(([name, role]) => ({
          ...role,
          ...{ name, path: `${field}.${name}` },
        })),
      ),
    ...(headGroupSpec ? [{ ...headGroupSpec, name: RAY_HEAD_GROUP, path: `${inRayJob}headGroupSpec` }] : []),
    ...workerGroupSpecs.map((group, at) => ({
      ...group,
      ...{ name: group.groupName ?? '', path: `${inRayJob}workerGroupSpecs[${at}]` },
    })),
  ];
}

interface RayGroups {
  readonly headGroupSpec?: Template;
  readonly workerGroupSpecs?: readonly (Template & { readonly groupName?: string })[];
}

/** Of a RayCluster, or of the cluster that a RayJob creates. */
function rayClusterOf(spec: RayGroups & { readonly rayClusterSpec?: RayGroups }): RayGroups {
  return spec.rayClusterSpec ?? spec;
}
