/** The report as a page that an administrator decides by: how many jobs differ, by which documented row, and every unknown difference. */
import type { KindReport, ReportedDifference, ReportedTimes, ShadowReport } from '@muster/shadow';
import { table } from '../terminal/table.ts';

const PAGES = 'docs/administrators/differences';
/** Unknown differences of each kind. JSON has more. */
const MOST_UNKNOWN = 20;

export function shadowPage(reports: readonly ShadowReport[]): string {
  const kinds = merged(reports.flatMap((report) => report.kinds)).filter(({ seen }) => seen > 0);
  if (kinds.length === 0) return 'No jobs have been seen.\n';
  const head = ['KIND', 'JOBS', 'SAME', 'DOCUMENTED', 'UNKNOWN', 'WAITING', 'EQUAL VALUES'];
  const rows = kinds.map(({ kind, seen, jobs: { same, documented, unknown, waiting }, sameValues }) =>
    [kind, seen, same, documented, unknown, waiting, sameValues].map(String),
  );
  return [
    table([head, ...rows]),
    ...kinds.map(documentedOf),
    ...kinds.map(unknownOf),
    ...kinds.map(timesOf),
    summary(kinds),
  ].join('');
}

function documentedOf({ kind, documented }: KindReport): string {
  if (documented.length === 0) return '';
  const rows = documented.map(({ row, jobs, example }) => [row, String(jobs), ...exampleOf(example)]);
  return `\n${kind}: documented (${PAGES})\n${table([['ROW', 'JOBS', 'FIELD', 'THEIRS', 'OURS', 'JOB'], ...rows], { indent: '  ' })}`;
}

function unknownOf({ kind, unknown }: KindReport): string {
  if (unknown.length === 0) return '';
  const rows = unknown.slice(0, MOST_UNKNOWN).map(exampleOf);
  const left = unknown.length - rows.length;
  const more = left === 0 ? '' : `  and ${left} more: -o json\n`;
  return `\n${kind}: unknown\n${table([['FIELD', 'THEIRS', 'OURS', 'JOB'], ...rows], { indent: '  ' })}${more}`;
}

function timesOf({ kind, times }: KindReport): string {
  if (times.length === 0) return '';
  const rows = times.map(({ step, jobsByLaterSeconds }) => {
    const seconds = Object.entries(jobsByLaterSeconds)
      .map(([later, jobs]) => ({ later: Number(later), jobs }))
      .sort((a, b) => a.later - b.later);
    const all = seconds.flatMap(({ later, jobs }) => Array.from({ length: jobs }, () => later));
    return [step, ...[all.length, all[0], all[Math.floor((all.length - 1) / 2)], all.at(-1)].map(String)];
  });
  return `\n${kind}: seconds by which the other operator is later\n${table([['STEP', 'JOBS', 'LEAST', 'MEDIAN', 'MOST'], ...rows], { indent: '  ' })}`;
}

function exampleOf({ field, theirs, ours, namespace, job }: ReportedDifference): string[] {
  return [field, theirs === '' ? '-' : theirs, ours === '' ? '-' : ours, `${namespace}/${job}`];
}

function summary(kinds: readonly KindReport[]): string {
  const unknown = kinds.reduce((sum, { jobs }) => sum + jobs.unknown, 0);
  const waiting = kinds.reduce((sum, { jobs }) => sum + jobs.waiting, 0);
  const rest = waiting === 0 ? '' : ` ${waiting} wait until nothing changes any more.`;
  if (unknown === 0) return `\nEvery difference is documented.${rest}\n`;
  return `\n${unknown} jobs have differences that are not documented. Please report them.${rest}\n`;
}

/** Operators of several namespaces report the same kinds. */
function merged(kinds: readonly KindReport[]): KindReport[] {
  return [...Map.groupBy(kinds, ({ kind }) => kind).values()].map((same) =>
    same.reduce((one, other) => ({
      kind: one.kind,
      seen: one.seen + other.seen,
      sameValues: one.sameValues + other.sameValues,
      jobs: {
        same: one.jobs.same + other.jobs.same,
        documented: one.jobs.documented + other.jobs.documented,
        unknown: one.jobs.unknown + other.jobs.unknown,
        waiting: one.jobs.waiting + other.jobs.waiting,
      },
      documented: [...Map.groupBy([...one.documented, ...other.documented], ({ row }) => row).values()].map((rows) => ({
        ...rows[0]!,
        jobs: rows.reduce((sum, { jobs }) => sum + jobs, 0),
      })),
      unknown: [...one.unknown, ...other.unknown],
      times: mergedTimes([...one.times, ...other.times]),
    })),
  );
}

function mergedTimes(times: readonly ReportedTimes[]): ReportedTimes[] {
  return [...Map.groupBy(times, ({ step }) => step)].map(([step, same]) => {
    const jobsByLaterSeconds: Record<string, number> = {};
    for (const [seconds, jobs] of same.flatMap((each) => Object.entries(each.jobsByLaterSeconds)))
      jobsByLaterSeconds[seconds] = (jobsByLaterSeconds[seconds] ?? 0) + jobs;
    return { step, jobsByLaterSeconds };
  });
}
