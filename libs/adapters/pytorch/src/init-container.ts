/**
 * The container that holds a worker back until its master can be looked up
 * (kubeflow/training-operator, pkg/controller.v1/pytorch/initcontainer.go).
 */
import { programImage, type ReplicaRole } from '@muster/common-job-controller';
import type { Container } from '@muster/job-api';

export interface InitContainerSettings {
  /** What it runs: with a shell, and nslookup or getent. Default: the image of the container that trains. */
  readonly image?: string | undefined;
  /** How often the master is looked up, two seconds apart, before the container fails. */
  readonly maxTries: number;
  /** Replaces the built-in container. */
  readonly template?: InitContainerTemplate;
}

/** The containers that wait for the master of this address, by this image. Never throws. */
export type InitContainerTemplate = (masterAddr: string, image: string) => readonly Container[];

/** Kubeflow's operator runs `alpine:3.10`, which no node has where Docker Hub is out of reach. */
export const DEFAULT_INIT_CONTAINER: InitContainerSettings = { maxTries: 100 };

/** Stand for what differs from job to job, where the containers are those of no job. Both are DNS labels, so YAML reads them as text. */
export const ANY_MASTER = 'master-of-any-job';
export const ANY_IMAGE = 'image-of-any-job';

/** `containers` are written for {@link ANY_MASTER} and, unless they have an image of their own, {@link ANY_IMAGE}. */
export function templateOf(containers: readonly object[]): InitContainerTemplate {
  const text = JSON.stringify(containers);
  return (masterAddr, image) =>
    JSON.parse(text.replaceAll(ANY_MASTER, masterAddr).replaceAll(ANY_IMAGE, () => inJson(image))) as Container[];
}

/** The text as it stands between the quotes of a JSON string. */
function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** As `FrameworkAdapter.madeWith` has them. */
export function recordedSettings({ image, maxTries, template }: InitContainerSettings) {
  return {
    ...(image !== undefined && { image }),
    maxTries,
    ...(template && { template: template(ANY_MASTER, ANY_IMAGE) }),
  };
}

/** Of {@link recordedSettings}, as JSON has them. */
export function settingsOfRecord(madeWith: Readonly<Record<string, unknown>>): InitContainerSettings {
  const { template, ...settings } = madeWith as unknown as ReturnType<typeof recordedSettings>;
  return { ...settings, ...(template && { template: templateOf(template) }) };
}

export function initContainers(
  settings: InitContainerSettings,
  masterAddr: string,
  worker: ReplicaRole,
): readonly Container[] {
  const { image } = settings;
  const runs = image === undefined ? programImage(worker) : { image, imagePullPolicy: 'IfNotPresent' };
  return settings.template?.(masterAddr, runs.image ?? '') ?? [builtIn(settings.maxTries, masterAddr, runs, worker)];
}

function builtIn(
  maxTries: number,
  masterAddr: string,
  runs: Pick<Container, 'image' | 'imagePullPolicy'>,
  { template, containerName }: ReplicaRole,
): Container {
  const trainer = template.spec?.containers.find(({ name }) => name === containerName);
  return {
    name: 'init-pytorch',
    ...runs,
    resources: { limits: { cpu: '100m', memory: '20Mi' }, requests: { cpu: '50m', memory: '10Mi' } },
    command: ['sh', '-c', waitFor(masterAddr, maxTries)],
    // A namespace that restricts pods has made the user write this; the same rules apply to this container.
    ...(trainer?.securityContext && { securityContext: trainer.securityContext }),
  };
}

/** Images have either nslookup or getent. */
function waitFor(master: string, maxTries: number): string {
  return [
    'tries=0',
    `until nslookup ${master} >/dev/null 2>&1 || getent hosts ${master} >/dev/null 2>&1; do`,
    '  tries=$((tries + 1))',
    `  if [ "$tries" -ge ${maxTries} ]; then`,
    `    echo "the master ${master} cannot be looked up after $tries tries: does its pod run, and does DNS work in this cluster?" >&2`,
    '    exit 1',
    '  fi',
    `  echo "waiting for the master ${master} ($tries of ${maxTries})"`,
    '  sleep 2',
    'done',
  ].join('\n');
}
