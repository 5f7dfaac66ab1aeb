import type { Lease } from '@muster/job-api';
import type { Change, History, SentWrite } from '../history/history.ts';
import type { Invariant, Violation } from './invariant.ts';

const NAME = 'leaders-do-not-overlap';

/** A request may be on its way while the Lease changes, and this process may see both late. */
const ON_ITS_WAY_MS = 2_000;

export const leadersDoNotOverlap: Invariant = {
  name: NAME,
  statement:
    'A replica sends no write, other than Events and its Lease, more than two seconds after another replica has taken the Lease.',
  check(history) {
    const terms = termsOf(history);
    return history.writes.filter(isAct).flatMap((write): Violation[] => {
      const own = terms.get(frameworkOf(write.replica)) ?? [];
      const holder = own.findLast(({ fromMs }) => fromMs + ON_ITS_WAY_MS < write.sentMs);
      const hasJustTaken = own.some(
        ({ replica, fromMs }) => replica === write.replica && Math.abs(fromMs - write.sentMs) <= ON_ITS_WAY_MS,
      );
      if (holder === undefined || holder.replica === write.replica || hasJustTaken) return [];
      const lateMs = Math.round(write.sentMs - holder.fromMs);
      const message = `(${write.operatorVersion}) sent ${write.method} ${write.path} ${lateMs} ms after ${holder.replica} had taken the Lease at revision ${holder.revision}`;
      return [{ invariant: NAME, about: write.replica, message }];
    });
  },
};

interface Term {
  readonly replica: string;
  readonly fromMs: number;
  readonly revision: number;
}

/** Who held the Lease from when, by framework. Only terms whose first write is known to be of a replica. */
function termsOf({ changes, writes }: History): Map<string, Term[]> {
  const byRevision = new Map(
    writes.flatMap((write) => (write.revision === undefined ? [] : [[write.revision, write]])),
  );
  const terms = new Map<string, Term[]>();
  for (const change of changes) {
    if (change.resource !== 'leases') continue;
    const write = byRevision.get(change.revision);
    if (write === undefined || !write.path.includes('/leases') || holderOf(change) === '') continue;
    const framework = frameworkOf(write.replica);
    const own = terms.get(framework) ?? [];
    terms.set(framework, own);
    if (own.at(-1)?.replica === write.replica) continue;
    own.push({ replica: write.replica, fromMs: change.atMs, revision: change.revision });
  }
  return terms;
}

function holderOf({ after }: Change): string {
  return (after as Lease | undefined)?.spec?.holderIdentity ?? '';
}

function isAct({ path, code }: SentWrite): boolean {
  return code > 0 && code < 300 && !/\/(leases|events|selfsubject\w+)\b/.test(path);
}

function frameworkOf(replica: string): string {
  return replica.split('/')[0] ?? replica;
}
