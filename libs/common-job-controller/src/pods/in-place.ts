/**
 * Restarts in place: the kubelet restarts all containers of a pod (RestartAllContainers), without scheduler and image pull. The restarter,
 * a container beside the program, waits until the pod's annotation changes and exits with the code that triggers it. The program's
 * container has no such rule, so the failure policy can read its failure.
 */
import { ANNOTATIONS, type Container, containerNamed, hasEnded, type Pod } from '@muster/job-api';
import { defined } from '../model/defined.ts';

export const RESTARTER = 'muster-restarter';

const MOUNT = '/etc/muster-restarter';
const FILE = 'in-place';

/** No signal's exit code, and not reserved by shells. */
const RESTART_EXIT_CODE = 85;

/** The annotation's value when no restart can follow: the restarter exits, so that the pod of an ended program ends. */
const ENDED = 'ended';

/** A pod that is not restarted after that time is recreated. */
const RESTART_TIMEOUT_MS = 60_000;

/** Kubelets with the feature set this condition on every pod. */
const CONDITION = 'AllContainersRestarting';

/** The kubelet updates the volume by a rename, so each read returns a whole value. It is empty in a first attempt. */
const SCRIPT = `
trap 'exit 0' TERM
load() { now=; read -r now < ${MOUNT}/${FILE} || :; }
load
first=$now
while [ "$now" != ${ENDED} ] && { [ -z "$now" ] || [ "$now" = "$first" ]; }; do sleep 1 || exit 1; load; done
[ "$now" = ${ENDED} ] || exit ${RESTART_EXIT_CODE}
`.trim();

/** Adds the restarter, with the program's image, which the node pulls anyway. */
export function withRestarter(pod: Pod, main: string): Pod {
  const { spec } = pod;
  const program = spec?.containers.find(({ name }) => name === main);
  if (spec === undefined || program === undefined) return pod;
  const annotation = { path: FILE, fieldRef: { fieldPath: `metadata.annotations['${ANNOTATIONS.inPlace}']` } };
  return {
    ...pod,
    spec: {
      ...spec,
      containers: [...spec.containers, restarter(program)],
      volumes: [...(spec.volumes ?? []), { name: RESTARTER, downwardAPI: { items: [annotation] } }],
    },
  };
}

/** Fields of Kubernetes 1.36 that the published types lack. */
interface ContainerWithRules extends Container {
  readonly restartPolicyRules: readonly object[];
}

function restarter({ image, imagePullPolicy, securityContext }: Container): ContainerWithRules {
  return {
    name: RESTARTER,
    // Pod security rules of the namespace apply to this container, too.
    ...defined({ image, imagePullPolicy, securityContext }),
    command: ['sh', '-c', SCRIPT],
    restartPolicy: 'Never',
    restartPolicyRules: [
      { action: 'RestartAllContainers', exitCodes: { operator: 'In', values: [RESTART_EXIT_CODE] } },
    ],
    resources: { limits: { cpu: '50m', memory: '32Mi' }, requests: { cpu: '5m', memory: '8Mi' } },
    volumeMounts: [{ name: RESTARTER, mountPath: MOUNT, readOnly: true }],
  };
}

export function canRestartInPlace(pod: Pod): boolean {
  const { metadata, status } = pod;
  if (metadata?.deletionTimestamp !== undefined || status?.phase !== 'Running') return false;
  return status.conditions?.some(({ type }) => type === CONDITION) === true && isRestarterUp(pod);
}

function isRestarterUp(pod: Pod): boolean {
  return containerNamed(RESTARTER, pod)?.state?.running !== undefined;
}

export function restartNote(pod: Pod, main: string, attempt: number, nowMs: number): Record<string, string> {
  const { restartCount = 0 } = containerNamed(main, pod) ?? {};
  return { [ANNOTATIONS.inPlace]: [attempt, restartCount, Math.floor(nowMs / 1000)].join('/') };
}

function noteOn({ metadata }: Pod) {
  const match = /^\d{1,9}\/(\d{1,9})\/(\d{1,12})$/.exec(metadata?.annotations?.[ANNOTATIONS.inPlace] ?? '');
  return match === null ? undefined : { restartsBefore: Number(match[1]), atMs: Number(match[2]) * 1000 };
}

/** Whether a restart was requested, now or earlier. A pod that does not restart is deleted. */
export function isRestartRequested(pod: Pod): boolean {
  return noteOn(pod) !== undefined;
}

/** Whether a restart was requested and the program has not restarted since. */
export function isRestartingInPlace(pod: Pod, main: string): boolean {
  const note = noteOn(pod);
  if (note === undefined || pod.metadata?.deletionTimestamp !== undefined) return false;
  const { restartCount = 0, state } = containerNamed(main, pod) ?? {};
  return restartCount <= note.restartsBefore || state?.waiting !== undefined;
}

/** Remaining time for a restart in place. Undefined for other pods. Not above 0: the pod is recreated. */
export function restartTimeoutLeftMs(pod: Pod, main: string, nowMs: number): number | undefined {
  const note = noteOn(pod);
  if (note === undefined || !isRestartingInPlace(pod, main)) return undefined;
  // A time far in the future means that the clock was set back. Another operator's clock may be a little ahead.
  const isFuture = note.atMs - nowMs > RESTART_TIMEOUT_MS;
  return hasEnded(pod) || isFuture ? 0 : Math.min(note.atMs, nowMs) + RESTART_TIMEOUT_MS - nowMs;
}

/** Muster counts restarts in place when it decides on them. The kubelet does no other restarts in such a pod. */
export function hasRestarter(pod: Pod): boolean {
  return containerNamed(RESTARTER, pod) !== undefined;
}

/** The annotation for a pod that still runs only because of its restarter. */
export function endNote(pod: Pod, main: string): Record<string, string> | undefined {
  const hasProgramEnded = containerNamed(main, pod)?.state?.terminated !== undefined;
  if (!hasProgramEnded || !isRestarterUp(pod) || pod.metadata?.deletionTimestamp !== undefined) return undefined;
  if (pod.metadata?.annotations?.[ANNOTATIONS.inPlace] === ENDED) return undefined;
  return { [ANNOTATIONS.inPlace]: ENDED };
}
