/**
 * Restarts in place: the kubelet restarts all containers of a pod by the rule RestartAllContainers, without the scheduler and without
 * an image pull. A container beside the program waits for the pod's annotation to change and then ends with the exit code of that
 * rule. The program's own container has no such rule: what it failed of stays to be read until the failure policy has been asked.
 */
import { ANNOTATIONS, type Container, type Pod } from '@muster/job-api';
import { hasEnded } from './pod-end.ts';

/** The container that has the kubelet restart the others, and its volume. */
export const RESTARTER = 'muster-restarter';

const MOUNT = '/etc/muster-restarter';
const FILE = 'in-place';

/** No signal's, and none that shells have a meaning for. */
const RESTART_EXIT_CODE = 85;

/** What the annotation says when there is nothing to restart any more: else the pod of a program that has ended would run on. */
const ENDED = 'ended';

/** A pod that is not back after that is made anew. */
const PATIENCE_MS = 60_000;

/** Kubelets that know the rule say so with this condition, of every pod. */
const CONDITION = 'AllContainersRestarting';

/** The volume changes by a rename, so there is always a whole value to read; a first attempt has none. */
const SCRIPT = `
trap 'exit 0' TERM
told() { now=; read -r now < ${MOUNT}/${FILE} || :; }
told
first=$now
while [ "$now" != ${ENDED} ] && { [ -z "$now" ] || [ "$now" = "$first" ]; }; do sleep 1 || exit 1; told; done
[ "$now" = ${ENDED} ] || exit ${RESTART_EXIT_CODE}
`.trim();

/** `pod` with the container beside its program, in the image that the node has already. */
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

/** The fields of Kubernetes 1.36 that the published types do not have yet. */
interface ContainerWithRules extends Container {
  readonly restartPolicyRules: readonly object[];
}

function restarter({ image, imagePullPolicy, securityContext }: Container): Container {
  const container: ContainerWithRules = {
    name: RESTARTER,
    ...(image !== undefined && { image }),
    ...(imagePullPolicy !== undefined && { imagePullPolicy }),
    command: ['sh', '-c', SCRIPT],
    restartPolicy: 'Never',
    restartPolicyRules: [
      { action: 'RestartAllContainers', exitCodes: { operator: 'In', values: [RESTART_EXIT_CODE] } },
    ],
    resources: { limits: { cpu: '50m', memory: '32Mi' }, requests: { cpu: '5m', memory: '8Mi' } },
    volumeMounts: [{ name: RESTARTER, mountPath: MOUNT, readOnly: true }],
    // A namespace that restricts pods has made the user write this; the same rules apply to this container.
    ...(securityContext && { securityContext }),
  };
  return container;
}

/** Whether the kubelet can be had to restart the pod's containers. */
export function canRestartInPlace(pod: Pod): boolean {
  const { metadata, status } = pod;
  if (metadata?.deletionTimestamp !== undefined || status?.phase !== 'Running') return false;
  return status.conditions?.some(({ type }) => type === CONDITION) === true && isRestarterUp(pod);
}

function isRestarterUp({ status }: Pod): boolean {
  return (
    status?.containerStatuses?.some(({ name, state }) => name === RESTARTER && state?.running !== undefined) ?? false
  );
}

/** What is written on a pod that is to be restarted: the attempt, how often its program has been restarted before, and when. */
export function restartNote(pod: Pod, main: string, attempt: number, nowMs: number): Record<string, string> {
  const { restartCount = 0 } = statusOf(pod, main) ?? {};
  return { [ANNOTATIONS.inPlace]: [attempt, restartCount, Math.floor(nowMs / 1000)].join('/') };
}

interface Note {
  readonly restartsBefore: number;
  readonly atMs: number;
}

function noteOn({ metadata }: Pod): Note | undefined {
  const said = /^\d{1,9}\/(\d{1,9})\/(\d{1,12})$/.exec(metadata?.annotations?.[ANNOTATIONS.inPlace] ?? '');
  return said === null ? undefined : { restartsBefore: Number(said[1]), atMs: Number(said[2]) * 1000 };
}

/** Whether the pod was told to restart, now or earlier. One that does not come back is deleted. */
export function isToldToRestart(pod: Pod): boolean {
  return noteOn(pod) !== undefined;
}

/** Whether the pod has been told to restart, and its program has not been started since. */
export function isRestartingInPlace(pod: Pod, main: string): boolean {
  const note = noteOn(pod);
  if (note === undefined || pod.metadata?.deletionTimestamp !== undefined) return false;
  const { restartCount = 0, state } = statusOf(pod, main) ?? {};
  return restartCount <= note.restartsBefore || state?.waiting !== undefined;
}

/** How long a pod that restarts in place is waited for yet; undefined of others. Not above 0: it is made anew. */
export function patienceLeftMs(pod: Pod, main: string, nowMs: number): number | undefined {
  const note = noteOn(pod);
  if (note === undefined || !isRestartingInPlace(pod, main)) return undefined;
  // A time to come says that the clock was set back.
  return hasEnded(pod) ? 0 : Math.min(note.atMs, nowMs) + PATIENCE_MS - nowMs;
}

/** Restarts in place are counted where they are decided: the kubelet does none of its own in such a pod. */
export function hasRestarter({ status }: Pod): boolean {
  return status?.containerStatuses?.some(({ name }) => name === RESTARTER) ?? false;
}

/** What is written on pods whose program has ended for good and that run on for their restarter alone. */
export function endNote(pod: Pod, main: string): Record<string, string> | undefined {
  const hasProgramEnded = statusOf(pod, main)?.state?.terminated !== undefined;
  if (!hasProgramEnded || !isRestarterUp(pod) || pod.metadata?.deletionTimestamp !== undefined) return undefined;
  if (pod.metadata?.annotations?.[ANNOTATIONS.inPlace] === ENDED) return undefined;
  return { [ANNOTATIONS.inPlace]: ENDED };
}

function statusOf({ status }: Pod, main: string) {
  return status?.containerStatuses?.find(({ name }) => name === main);
}
