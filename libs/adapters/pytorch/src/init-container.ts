/**
 * The container that holds a worker back until its master can be looked up
 * (kubeflow/training-operator, pkg/controller.v1/pytorch/initcontainer.go).
 */
import { DEFAULT_INIT_IMAGE } from '@muster/common-job-controller';
import type { Container } from '@muster/job-api';

export interface InitContainerSettings {
  readonly image: string;
  /** How often the master is looked up, two seconds apart, before the container fails. */
  readonly maxTries: number;
  /** Replaces the built-in container. */
  readonly template?: InitContainerTemplate;
}

/** The containers that wait for the master of this address. Never throws. */
export type InitContainerTemplate = (masterAddr: string) => readonly Container[];

export const DEFAULT_INIT_CONTAINER: InitContainerSettings = { image: DEFAULT_INIT_IMAGE, maxTries: 100 };

export function initContainers(
  settings: InitContainerSettings,
  masterAddr: string,
  trainer?: Container,
): readonly Container[] {
  return settings.template?.(masterAddr) ?? [builtIn(settings, masterAddr, trainer)];
}

function builtIn({ image, maxTries }: InitContainerSettings, masterAddr: string, trainer?: Container): Container {
  return {
    name: 'init-pytorch',
    image,
    imagePullPolicy: 'IfNotPresent',
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
