/**
 * The container that holds a worker back until its master can be looked up
 * (kubeflow/training-operator, pkg/controller.v1/pytorch/initcontainer.go).
 */
import type { Container } from '@muster/job-api';

export interface InitContainerSettings {
  readonly image: string;
  /** How often the master is looked up, two seconds apart, before the container fails. */
  readonly maxTries: number;
  /** Replaces the built-in container: a list of containers as JSON values, with placeholders in their strings. */
  readonly template?: readonly Container[];
}

export const DEFAULT_INIT_CONTAINER: InitContainerSettings = { image: 'alpine:3.10', maxTries: 100 };

/** What `{{.Name}}` stands for in a template. */
type Placeholders = Readonly<Record<'MasterAddr' | 'InitContainerImage' | 'MaxTries', string>>;

export function initContainers(settings: InitContainerSettings, master: string, trainer?: Container): Container[] {
  const placeholders = { MasterAddr: master, InitContainerImage: settings.image, MaxTries: String(settings.maxTries) };
  return (settings.template ?? [builtIn(trainer)]).map((container) => fill(container, placeholders));
}

function builtIn(trainer: Container | undefined): Container {
  return {
    name: 'init-pytorch',
    image: '{{.InitContainerImage}}',
    imagePullPolicy: 'IfNotPresent',
    resources: { limits: { cpu: '100m', memory: '20Mi' }, requests: { cpu: '50m', memory: '10Mi' } },
    command: ['sh', '-c', WAIT_FOR_MASTER],
    // A namespace that restricts pods has made the user write this; the same rules apply to this container.
    ...(trainer?.securityContext && { securityContext: trainer.securityContext }),
  };
}

/** Images have either nslookup or getent. */
const WAIT_FOR_MASTER = [
  'tries=0',
  'until nslookup {{.MasterAddr}} >/dev/null 2>&1 || getent hosts {{.MasterAddr}} >/dev/null 2>&1; do',
  '  tries=$((tries + 1))',
  '  if [ "$tries" -ge {{.MaxTries}} ]; then',
  '    echo "the master {{.MasterAddr}} cannot be looked up after $tries tries: does its pod run, and does DNS work in this cluster?" >&2',
  '    exit 1',
  '  fi',
  '  echo "waiting for the master {{.MasterAddr}} ($tries of {{.MaxTries}})"',
  '  sleep 2',
  'done',
].join('\n');

/** `value` with the placeholders in all of its strings filled in. */
function fill<T>(value: T, placeholders: Placeholders): T {
  const text = JSON.stringify(value).replace(/\{\{\s*\.(\w+)\s*\}\}/g, (unknown, name: string) => {
    const found = Object.entries(placeholders).find(([known]) => known === name)?.[1];
    return found === undefined ? unknown : JSON.stringify(found).slice(1, -1);
  });
  return JSON.parse(text) as T;
}
