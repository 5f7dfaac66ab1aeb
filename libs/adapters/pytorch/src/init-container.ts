/**
 * The init container that delays a worker until its master's name resolves (kubeflow/training-operator,
 * pkg/controller.v1/pytorch/initcontainer.go).
 */
import { programImage, type ReplicaRole } from '@muster/common-job-controller';
import type { Container } from '@muster/job-api';

export interface InitContainerSettings {
  /** Needs a shell, and nslookup or getent. Default: the image of the main container. */
  readonly image?: string | undefined;
  /** Lookups of the master, two seconds apart, before the container fails. */
  readonly maxTries: number;
  readonly template?: InitContainerTemplate;
}

/** Never throws. */
export type InitContainerTemplate = (masterAddr: string, image: string) => readonly Container[];

/** Kubeflow's operator runs `alpine:3.10`, which is not available without Docker Hub. */
export const DEFAULT_INIT_CONTAINER: InitContainerSettings = { maxTries: 100 };

/** Placeholders for values of a job. Both are DNS labels, so YAML parses them as text. */
export const ANY_MASTER = 'master-of-any-job';
export const ANY_IMAGE = 'image-of-any-job';

/** `containers` contain {@link ANY_MASTER} and, unless they have their own image, {@link ANY_IMAGE}. */
export function templateOf(containers: readonly object[]): InitContainerTemplate {
  const text = JSON.stringify(containers);
  return (masterAddr, image) =>
    JSON.parse(text.replaceAll(ANY_MASTER, masterAddr).replaceAll(ANY_IMAGE, () => inJson(image))) as Container[];
}

function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** For `FrameworkAdapter.madeWith`. */
export function recordedSettings({ image, maxTries, template }: InitContainerSettings) {
  return {
    ...(image !== undefined && { image }),
    maxTries,
    ...(template && { template: template(ANY_MASTER, ANY_IMAGE) }),
  };
}

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
    // Namespaces with Pod Security admission require it of every container.
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
