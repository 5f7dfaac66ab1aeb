/** What is told of a job while it is waited for: one line for each change, and none twice in a row. */
import { troubleOf } from '@muster/common-job-controller';
import type { JobView } from './job-view.ts';

export interface Progress {
  /** The lines that are news since the last call. */
  news(view: JobView): readonly string[];
}

/** @param told what has been said of waiting pods lives as long as this object */
export function progress(): Progress {
  let before = '';
  const told = new Set<string>();
  return {
    news(view) {
      const now = standing(view);
      const lines = now === before ? [] : [now];
      before = now;
      for (const reason of troubles(view)) {
        if (told.has(reason)) continue;
        told.add(reason);
        lines.push(reason);
      }
      return lines;
    },
  };
}

/** `Running, 3/4 ready, 1 restart`. */
function standing({ state, ready, restarts }: JobView): string {
  const counted =
    restarts === undefined || restarts === 0 ? [] : [`${restarts} ${restarts === 1 ? 'restart' : 'restarts'}`];
  const parts = [
    state ?? 'no operator has looked at it yet',
    ...(ready === undefined ? [] : [`${ready} ready`]),
    ...counted,
  ];
  return parts.join(', ');
}

/** Why pods do not start, each reason once, with the first pod that it holds for. */
function troubles({ replicas, conditions }: JobView): string[] {
  const refused = conditions.filter(({ type, status }) => type === 'ReplicaFailure' && status === 'True');
  const byReason = Map.groupBy(
    replicas.flatMap(({ name, pod }) => ({ name, trouble: troubleOf(pod) })),
    ({ trouble }) => trouble?.reason,
  );
  const waiting = [...byReason].flatMap(([reason, [first]]) =>
    reason === undefined || first?.trouble === undefined
      ? []
      : [`${first.name} waits: ${reason}: ${first.trouble.message}`],
  );
  return [...refused.map(({ reason, message }) => `waits: ${reason}: ${message}`), ...waiting];
}
