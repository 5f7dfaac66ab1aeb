/** Lines about the changes of a job while a command waits for it. */
import { startProblemOf } from '@muster/common-job-controller';
import type { JobView } from './job-view.ts';

export interface Progress {
  /** The new lines since the last call. */
  news(view: JobView): readonly string[];
}

/** Reports each reason why pods do not start once. */
export function progress(): Progress {
  let before = '';
  const reported = new Set<string>();
  return {
    news(view) {
      const now = summary(view);
      const lines = now === before ? [] : [now];
      before = now;
      for (const reason of troubles(view)) {
        if (reported.has(reason)) continue;
        reported.add(reason);
        lines.push(reason);
      }
      return lines;
    },
  };
}

/** `Running, 3/4 ready, 1 restart`. */
function summary({ state, ready, restarts }: JobView): string {
  const counted =
    restarts === undefined || restarts === 0 ? [] : [`${restarts} ${restarts === 1 ? 'restart' : 'restarts'}`];
  const parts = [
    state ?? 'no operator has reconciled it yet',
    ...(ready === undefined ? [] : [`${ready} ready`]),
    ...counted,
  ];
  return parts.join(', ');
}

/** Why pods do not start: each reason once, with the first pod. */
function troubles({ replicas, conditions }: JobView): string[] {
  const refused = conditions.filter(({ type, status }) => type === 'ReplicaFailure' && status === 'True');
  const byReason = Map.groupBy(
    replicas.flatMap(({ name, pod }) => ({ name, trouble: startProblemOf(pod) })),
    ({ trouble }) => trouble?.reason,
  );
  const waiting = [...byReason].flatMap(([reason, [first]]) =>
    reason === undefined || first?.trouble === undefined
      ? []
      : [`${first.name} waits: ${reason}: ${first.trouble.message}`],
  );
  return [...refused.map(({ reason, message }) => `waits: ${reason}: ${message}`), ...waiting];
}
