/** Of which of a job's replicas the log is wanted. */
import type { RunPolicy } from '@muster/job-api';
import { CommandError } from '../exit-codes.ts';
import { isFinished, type JobView, type ReplicaView } from './job-view.ts';

/** Default: the replica whose log tells how the job goes. */
export interface LogSelection {
  readonly replica?: string;
  readonly role?: string;
  readonly all?: boolean;
}

/** Whether the log may be that of several replicas, so that lines have to say whose they are. */
export function isOfSeveral({ role, all }: LogSelection): boolean {
  return role !== undefined || all === true;
}

/** By rank. */
export function selectedReplicas(view: JobView, { replica, role, all }: LogSelection): ReplicaView[] {
  if (all === true) return [...view.replicas];
  if (role !== undefined) return view.replicas.filter((each) => each.role.toLowerCase() === role.toLowerCase());
  const wanted = replica ?? view.deciding;
  // Where a pod has been made in place of another, the newest is the replica's.
  const newest = view.replicas.findLast(({ name, pod }) => name === wanted || pod.metadata?.name === wanted);
  return newest === undefined ? [] : [newest];
}

/**
 * Why there is no log, of a selection that has no pod.
 *
 * @param job how messages name it, and the command that says what it waits for
 */
export function noPods(
  view: JobView,
  { replica, role }: LogSelection,
  { title, why }: { readonly title: string; readonly why: string },
): CommandError {
  const whose = replica ?? role ?? view.deciding;
  const named = whose === undefined ? 'pods' : `pod of ${whose}`;
  if (!mayExist(view, whose)) {
    const known = [...new Set(view.replicas.map(({ name }) => name))].join(', ') || 'none';
    const roles = view.roles.map(({ name }) => name).join(', ') || 'none';
    return new CommandError('notFound', `${title} has no ${whose}: its roles are ${roles}, its pods ${known}.`);
  }
  if (view.state === 'Suspended')
    return new CommandError('notFound', `The ${named} of ${title} is gone: it is suspended.`);
  if (!isFinished(view))
    return new CommandError(
      'notFound',
      `There is no ${named} of ${title} yet, or not now.\nSee what it waits for: ${why}`,
    );
  return new CommandError(
    'notFound',
    `The ${named} of ${title} is gone, and its log with it: ${policyOf(view)} has it deleted once the job has ended. ` +
      'To keep pods and logs next time, set spec.runPolicy.cleanPodPolicy: None.',
  );
}

function mayExist({ roles, deciding }: JobView, whose: string | undefined): boolean {
  if (whose === undefined || whose === deciding) return true;
  return roles.some(({ name, wanted = Infinity }) => {
    if (whose.toLowerCase() === name.toLowerCase()) return true;
    const [, role, index] = /^(.*)-(\d+)$/.exec(whose) ?? [];
    return role === name.toLowerCase() && Number(index) < wanted;
  });
}

function policyOf({ manifest }: JobView): string {
  const { runPolicy = {}, cleanPodPolicy } = Object(manifest.spec) as Record<string, unknown> & {
    runPolicy?: Partial<RunPolicy>;
    cleanPodPolicy?: string;
  };
  const policy = runPolicy.cleanPodPolicy || cleanPodPolicy;
  return policy ? `cleanPodPolicy ${policy}` : 'its clean-up';
}
