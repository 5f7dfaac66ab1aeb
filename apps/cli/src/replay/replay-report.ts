/** What `muster replay` prints. */
import type { Replay } from '@muster/common-job-controller';

/** A value of an example is cut after so many characters. */
const LONGEST_VALUE = 600;

/** For standard output. */
export function replayReport({ passes, differing, groups }: Replay): string {
  const planned = `${passes} ${passes === 1 ? 'pass' : 'passes'} planned again`;
  if (differing === 0) return `${planned}, each with the same result\n`;
  const found = groups.map(({ count, kind, what, example }) =>
    [
      `${count} x ${kind}: ${what}`,
      `  for example ${example.job}, ${example.place}`,
      `  recorded: ${shown(example.recorded)}`,
      `  replayed: ${shown(example.replayed)}`,
      '',
    ].join('\n'),
  );
  return `${planned}, ${differing} with another result\n\n${found.join('\n')}`;
}

/** What was not planned again, for standard error. */
export function leftOut({ unreadable, unknownKinds }: Replay): string[] {
  return [
    ...[...unknownKinds].map(([kind, count]) => `${count} left out: no operator of this version runs ${kind}`),
    ...[...unreadable].map(([error, { count, place }]) => `${count} cannot be planned again, as in ${place}: ${error}`),
  ];
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length <= LONGEST_VALUE ? text : `${text.slice(0, LONGEST_VALUE)}… (${text.length} characters)`;
}
