/** Where the time of jobs went, as text. */
import { TIME_ACCOUNTS, type TimeAccount, type TimeUse } from '@muster/job-api';
import { goodputOf, timeAccountsAt } from '@muster/time-accounts';
import { duration } from '../terminal/age.ts';
import { table } from '../terminal/table.ts';
import type { JobView } from './job-view.ts';

type Uses = Readonly<Record<string, TimeUse>>;

export interface JobTime {
  readonly accounts: Uses;
  readonly losses: Uses;
  /** Between 0 and 1. Undefined before the first second that counts. */
  readonly goodput: number | undefined;
}

/** Up to now. Undefined for a job whose operator does not record its time. */
export function jobTime({ timeAccounts, firstFailure }: JobView, nowMs: number): JobTime | undefined {
  if (timeAccounts === undefined) return undefined;
  const { accounts, losses = {} } = timeAccountsAt(timeAccounts, [], firstFailure?.class, nowMs);
  return { accounts, losses, goodput: goodputOf(accounts) };
}

/** `93%`, or `-` if unknown. */
function percent(ratio: number | undefined): string {
  return ratio === undefined ? '-' : `${Math.floor(100 * ratio)}%`;
}

const LOST = ['Restarting', 'Recomputing'] as const;
const WAITED = ['Queued', 'Unscheduled', 'Starting'] as const;

/** A row for each job, the one that lost most first. */
export function goodputTable(
  views: readonly JobView[],
  { withNamespace, isWide }: { readonly withNamespace: boolean; readonly isWide: boolean },
  nowMs: number,
): string {
  const columns = ['GOODPUT', 'TIME', ...(isWide ? ['RUNNING'] : []), 'WAITED', 'STALLED', 'LOST', 'BY'];
  const head = ['NAME', 'KIND', ...(isWide ? ['STATE'] : []), ...columns];
  const rows = views
    .map((view) => ({ view, time: jobTime(view, nowMs) }))
    .toSorted((a, b) => secondsIn(b.time, LOST) - secondsIn(a.time, LOST))
    .map(({ view, time }) => {
      const { name = '', namespace = '' } = view.manifest.metadata ?? {};
      const row = [name, view.kind.definition.resource.kind, ...(isWide ? [view.state ?? '-'] : [])];
      const times = timeCells(time, isWide);
      return [...(withNamespace ? [namespace] : []), ...row, ...times];
    });
  return table([withNamespace ? ['NAMESPACE', ...head] : head, ...rows]);
}

function timeCells(time: JobTime | undefined, isWide: boolean): string[] {
  const running = isWide ? [['Running', 'Degraded', 'Finishing'] as const] : [];
  const columns = [TIME_ACCOUNTS, ...running, WAITED, ['Stalled'] as const, LOST];
  if (time === undefined) return Array.from({ length: columns.length + 2 }, () => '-');
  return [percent(time.goodput), ...columns.map((accounts) => length(secondsIn(time, accounts))), mostLost(time)];
}

function mostLost({ losses }: JobTime): string {
  const [first] = Object.entries(losses).toSorted(([, a], [, b]) => (b.seconds ?? 0) - (a.seconds ?? 0));
  return first?.[0] ?? '-';
}

function secondsIn(time: JobTime | undefined, accounts: readonly TimeAccount[]): number {
  return accounts.reduce((sum, account) => sum + (time?.accounts[account]?.seconds ?? 0), 0);
}

function length(seconds: number): string {
  return duration(seconds * 1000);
}

/** The accounts, losses and attempts of one job. */
export function goodputPage(view: JobView, nowMs: number): string {
  const { kind, manifest, timeAccounts } = view;
  const title = `${kind.definition.resource.kind} ${manifest.metadata?.namespace}/${manifest.metadata?.name}`;
  const time = jobTime(view, nowMs);
  if (time === undefined || timeAccounts === undefined)
    return `${title}: its time is not recorded. Muster records it from the next status on.\n`;
  const total = secondsIn(time, TIME_ACCOUNTS);
  const resources = [...new Set(Object.values(time.accounts).flatMap((use) => Object.keys(use.resourceSeconds ?? {})))];
  const cells = ({ seconds = 0, podSeconds = 0, resourceSeconds = {} }: TimeUse) => [
    length(seconds),
    length(podSeconds),
    ...resources.map((name) => length(resourceSeconds[name] ?? 0)),
  ];
  const head = ['TIME', 'PODS', ...resources.map((name) => (name.split('/')[1] ?? name).toUpperCase())];
  const known = TIME_ACCOUNTS.filter((account) => (time.accounts[account]?.seconds ?? 0) > 0);
  const lost = Object.entries(time.losses).filter(([, { seconds = 0 }]) => seconds > 0);
  const attempts = timeAccounts.attempts.map(({ startTime, failure, seconds }) => [
    startTime,
    failure ?? '-',
    TIME_ACCOUNTS.filter((account) => seconds[account])
      .map((account) => `${account} ${length(seconds[account] ?? 0)}`)
      .join(', '),
  ]);
  return [
    `${title}: goodput ${percent(time.goodput)} of ${length(total)}\n\n`,
    table([
      ['ACCOUNT', 'SHARE', ...head],
      ...known.map((account) => {
        const use = time.accounts[account] ?? {};
        return [account, percent((use.seconds ?? 0) / total), ...cells(use)];
      }),
    ]),
    lost.length === 0
      ? ''
      : `\nLost by failure\n${table([['CLASS', ...head], ...lost.map(([name, use]) => [name, ...cells(use)])])}`,
    attempts.length < 2 ? '' : `\nAttempts\n${table([['SINCE', 'AFTER', 'TIME'], ...attempts])}`,
  ].join('');
}

/** One line for `muster why`. Empty while nothing was lost. */
export function goodputLine(view: JobView, nowMs: number): string | undefined {
  const time = jobTime(view, nowMs);
  if (time === undefined || secondsIn(time, [...LOST, 'Stalled']) === 0) return undefined;
  const losses = Object.entries(time.losses).map(([name, { seconds = 0 }]) => `${name} ${length(seconds)}`);
  const stalled = secondsIn(time, ['Stalled']);
  const parts = [...losses, ...(stalled > 0 ? [`no progress ${length(stalled)}`] : [])];
  return `Goodput ${percent(time.goodput)}. Time lost: ${parts.join(', ')}.`;
}
