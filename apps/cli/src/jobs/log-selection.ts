/** Selects the replicas whose logs are printed. */
import type { RunPolicy } from '@muster/job-api';
import { CommandError } from '../exit-codes.ts';
import { hasReachedLimit, isFinished, type JobView, type ReplicaView } from './job-view.ts';
import { NO_PODS } from './pod-rule.ts';

/** Default: the deciding replica. */
export interface LogSelection {
  readonly replica?: string;
  readonly role?: string;
  readonly all?: boolean;
}

/** Whether several replicas may be selected, so that lines need a prefix. */
export function isOfSeveral({ role, all }: LogSelection): boolean {
  return role !== undefined || all === true;
}

/** Ordered by rank. */
export function selectedReplicas(view: JobView, { replica, role, all }: LogSelection): ReplicaView[] {
  if (all === true) return [...view.replicas];
  if (role !== undefined) return view.replicas.filter((each) => each.role.toLowerCase() === role.toLowerCase());
  const wanted = replica ?? view.deciding;
  // If a replica has several pods, the newest one is selected.
  const newest = view.replicas.findLast(({ name, pod }) => name === wanted || pod.metadata?.name === wanted);
  return newest === undefined ? [] : [newest];
}

/**
 * The error for a selection without pods.
 *
 * @param job its title for messages, and the command that shows why it waits
 */
export function noPods(
  view: JobView,
  { replica, role }: LogSelection,
  { title, why }: { readonly title: string; readonly why: string },
): CommandError {
  if (view.kind.pods === NO_PODS)
    return new CommandError('notFound', `${title} has no pods: its jobs have the logs.\nSee which jobs: ${why}`);
  const selected = replica ?? role ?? view.deciding;
  const named = selected === undefined ? 'pods' : `pod of ${selected}`;
  const are = selected === undefined ? 'are' : 'is';
  if (!mayExist(view, selected)) {
    const known = [...new Set(view.replicas.map(({ name }) => name))].join(', ') || 'none';
    const roles = view.roles.map(({ name }) => name).join(', ') || 'none';
    return new CommandError('notFound', `${title} has no ${selected}: its roles are ${roles}, its pods are ${known}.`);
  }
  if (view.state === 'Suspended')
    return new CommandError('notFound', `The ${named} of ${title} ${are} deleted: the job is suspended.`);
  if (!isFinished(view))
    return new CommandError(
      'notFound',
      `There is no ${named} of ${title} at the moment.\nSee what it waits for: ${why}`,
    );
  if (hasReachedLimit(view))
    return new CommandError(
      'notFound',
      `The ${named} of ${title} ${are} deleted, with the log: the job has reached a limit, and its running pods are ` +
        `then deleted under every cleanPodPolicy.\nSee what failed: ${why}`,
    );
  return new CommandError(
    'notFound',
    `The ${named} of ${title} ${are} deleted, with the log, because of ${policyOf(view)}. ` +
      'To keep pods and logs next time, set spec.runPolicy.cleanPodPolicy: None.',
  );
}

function mayExist({ roles, deciding }: JobView, selected: string | undefined): boolean {
  if (selected === undefined || selected === deciding) return true;
  return roles.some(({ name, wanted = Infinity }) => {
    if (selected.toLowerCase() === name.toLowerCase()) return true;
    const [, role, index] = /^(.*)-(\d+)$/.exec(selected) ?? [];
    return role === name.toLowerCase() && Number(index) < wanted;
  });
}

function policyOf({ manifest }: JobView): string {
  const { runPolicy = {}, cleanPodPolicy } = Object(manifest.spec) as Record<string, unknown> & {
    runPolicy?: Partial<RunPolicy>;
    cleanPodPolicy?: string;
  };
  const policy = runPolicy.cleanPodPolicy || cleanPodPolicy;
  return policy ? `cleanPodPolicy ${policy}` : 'the default cleanPodPolicy';
}
