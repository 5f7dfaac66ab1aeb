/**
 * What to do about a pod that does not start, or about the end of a container: steps in words, which begin with a capital letter, or
 * commands. They name the field, the object or the limit, so that nobody has to search for it. Pure.
 */
import type { Container, PodSpec } from '@muster/job-api';
import type { JobView } from './job-view.ts';

/** Where in the manifest the template of a replica is. */
interface Place {
  readonly role: string;
  readonly container?: string | undefined;
}

interface Trouble extends Place {
  /** As the scheduler or the kubelet names it. */
  readonly reason: string;
  readonly message: string;
}

const AGAIN = 'and submit the job again';

/** Empty if the cause is none that this program knows. */
export function adviceOnTrouble(view: JobView, trouble: Trouble): string[] {
  const { reason, message } = trouble;
  const objects = adviceOnObject(view, message);
  if (objects !== undefined) return [objects];
  if (/Image|Registry/.test(reason) && !reason.startsWith('CreateContainer')) return adviceOnImage(view, trouble);
  if (reason === 'Unschedulable') return adviceOnPlacement(view, trouble);
  if (/^(RunContainerError|StartError)$/.test(reason)) return [adviceOnCommand(view, trouble)];
  return [];
}

interface End extends Place {
  readonly exitCode?: number | undefined;
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
}

/** Empty if only the log of the program can tell. */
export function adviceOnEnd(view: JobView, end: End): string[] {
  const { reason = '', message = '', exitCode } = end;
  const { template } = placeOf(view, end);
  if (reason === 'OOMKilled') {
    const limit = containerOf(view, end)?.resources?.limits?.['memory'];
    const now = limit === undefined ? '' : ` (${String(limit)})`;
    return [
      `Raise ${fieldOf(view, end, 'resources.limits.memory')}${now}, or have the program use less memory, ${AGAIN}`,
    ];
  }
  if (/^(StartError|ContainerCannotRun|RunContainerError)$/.test(reason) || (exitCode === 128 && reason !== 'Error'))
    return [adviceOnCommand(view, end)];
  if (reason === 'DeadlineExceeded') {
    const { activeDeadlineSeconds } = specOf(view, end) ?? {};
    return [`Raise ${template}.activeDeadlineSeconds (${activeDeadlineSeconds ?? 'unset'}), ${AGAIN}`];
  }
  const volume = /EmptyDir volume "([^"]+)" exceeds the limit "([^"]+)"/.exec(message);
  if (volume !== null)
    return [`Raise the sizeLimit of the volume ${volume[1]} in ${template}.volumes (${volume[2]}), ${AGAIN}`];
  const lack = /^OutOf(\w+)$/.exec(reason)?.[1];
  if (lack !== undefined)
    return [`Lower ${fieldOf(view, end, `resources.requests.${lack}`)}, or choose a node with more, ${AGAIN}`];
  if (/Image|Registry/.test(reason)) return adviceOnImage(view, end);
  return adviceOnTrouble(view, { ...end, reason, message });
}

/** Of an object that a pod names. */
function adviceOnObject({ manifest }: JobView, message: string): string | undefined {
  const where = `in namespace ${manifest.metadata?.namespace ?? 'default'}`;
  const key = /couldn't find key (\S+) in (ConfigMap|Secret) (?:\S+\/)?([\w.-]*\w)/i.exec(message);
  if (key !== null) return `Add the key ${key[1]} to ${key[2]} ${key[3]} ${where}`;
  const nonExistent = /references non-existent (secret|config) key: (\S+)/.exec(message);
  if (nonExistent !== null) return `Add the key ${nonExistent[2]} to the object that the volume names, ${where}`;
  const missing = /(secret|configmap|persistentvolumeclaim|serviceaccount) "([^"]+)" not found/i.exec(message);
  if (missing === null) return undefined;
  const kind = KIND_NAMES[(missing[1] ?? '').toLowerCase()];
  return `Create ${kind} ${missing[2]} ${where}: the pod starts then`;
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
    return [`Create a Secret with the registry's password, and name it in ${template}.imagePullSecrets${which}`];
  }
  return [`Correct ${fieldOf(view, place, 'image')}${which}, ${AGAIN}; or make that image available to the nodes`];
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
    const now = amount === undefined ? '' : ` (${amount})`;
    return [
      `Lower ${fieldOf(view, place, `resources.requests[${lack}]`)}${now}, or add nodes`,
      'kubectl describe nodes',
    ];
  }
  const labels = Object.entries(spec?.nodeSelector ?? {}).map(([key, value]) => `${key}=${value}`);
  if (message.includes('node affinity/selector')) {
    const field = labels.length > 0 ? `${template}.nodeSelector (${labels.join(',')})` : `${template}.affinity`;
    return [`Correct ${field}, or label a node so that it matches`, 'kubectl get nodes --show-labels'];
  }
  if (message.includes('untolerated taint'))
    return [`Add ${template}.tolerations for the taint, or remove it from a node`, 'kubectl describe nodes'];
  return ['kubectl describe nodes'];
}

function adviceOnCommand(view: JobView, place: Place): string {
  const { command, args } = containerOf(view, place) ?? {};
  const words = [...(command ?? []), ...(args ?? [])].join(' ');
  const now = words === '' ? '' : ` (${words.length > 60 ? `${words.slice(0, 59)}…` : words})`;
  return `Correct ${fieldOf(view, place, 'command')}${now}, or use an image that has it, ${AGAIN}`;
}

/** A field of the container, from the root of the manifest as far as that is known. */
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

/** Kinds with a map of roles; of others the path is only named. */
function placeOf(
  { manifest }: JobView,
  { role }: Place,
): { readonly template: string; readonly spec?: PodSpec | undefined } {
  for (const [field, value] of Object.entries(Object(manifest.spec) as object)) {
    if (!field.endsWith('ReplicaSpecs')) continue;
    const roles = Object(value) as Record<string, { template?: { spec?: PodSpec } }>;
    const name = Object.keys(roles).find((each) => each.toLowerCase() === role.toLowerCase());
    if (name === undefined) continue;
    return { template: `spec.${field}.${name}.template.spec`, spec: roles[name]?.template?.spec };
  }
  return { template: `the pod template of ${role}` };
}
