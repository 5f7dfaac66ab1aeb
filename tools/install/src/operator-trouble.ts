/**
 * Finds why an installed operator is not ready, from its pods and their logs: `helm install --wait` reports only that its Deployment is not
 * available. The operator logs the reason (`not ready: …`); the pod's status says why a pod does not run.
 */
import type { Pod } from '@muster/job-api';

/** Lines of a log that are searched for the reason: operators write few while they are not ready. */
export const LOG_LINES = 100;

export interface InstalledOperator {
  readonly deployment: {
    readonly status?: {
      readonly conditions?: readonly { readonly type: string; readonly status: string; readonly message?: string }[];
    };
  };
  readonly pods: readonly Pod[];
  /** The log of each pod's operator, by the name of the pod, if it could be read. */
  readonly logs: ReadonlyMap<string, string>;
}

/** One line for each cause; empty if none is known. */
export function operatorProblem({ deployment, pods, logs }: InstalledOperator): string[] {
  const refused = deployment.status?.conditions?.filter(
    ({ type, status }) => type === 'ReplicaFailure' && status === 'True',
  );
  const running = pods.filter(({ metadata }) => metadata?.deletionTimestamp === undefined);
  return [
    ...(refused ?? []).map(({ message }) => `No pod can be created: ${message}`),
    ...running.flatMap((pod) => {
      const name = pod.metadata?.name ?? '';
      const causes = [...causesOf(pod), ...warningIn(logs.get(name) ?? '')];
      return causes.map((cause) => `Pod ${name}: ${cause}`);
    }),
  ];
}

function causesOf({ status }: Pod): string[] {
  const unscheduled = (status?.conditions ?? []).filter(
    (each) => each.type === 'PodScheduled' && each.status === 'False',
  );
  const containers = (status?.containerStatuses ?? []).flatMap(({ name, state, lastState }) => {
    const { waiting } = state ?? {};
    const ended = state?.terminated ?? lastState?.terminated;
    const lastLine = ended?.message?.trimEnd().split('\n').at(-1) ?? '';
    return [
      ...(waiting === undefined ? [] : [`${name} waits: ${sentence(waiting.reason, waiting.message)}`]),
      ...(ended === undefined
        ? []
        : [`${name} has ended with exit code ${ended.exitCode}: ${lastLine || ended.reason}`]),
    ];
  });
  return [...unscheduled.map(({ reason, message }) => sentence(reason, message)), ...containers];
}

/** The last warning or error of an operator's log. */
function warningIn(log: string): string[] {
  const warnings = log.split('\n').flatMap((line) => {
    const { level, message, error } = entryOf(line);
    if (level !== 'warn' && level !== 'error' && level !== 'fatal') return [];
    return [[message, error].filter((part) => typeof part === 'string').join(': ')];
  });
  return warnings.slice(-1);
}

function entryOf(line: string): { level?: unknown; message?: unknown; error?: unknown } {
  try {
    return Object(JSON.parse(line)) as object;
  } catch {
    return {};
  }
}

function sentence(reason = '', message = ''): string {
  return [reason, message].filter((part) => part !== '').join(': ');
}
