/** Formats the output of `muster replay`. */
import type { Replay } from '@muster/recording';

/** Values of examples are truncated to this number of characters. */
const LONGEST_VALUE = 600;

/** For standard output. */
export function replayReport({ runs, differing, groups }: Replay): string {
  const planned = `${runs} recorded ${runs === 1 ? 'run' : 'runs'} planned again`;
  if (differing === 0) return `${planned}: no differences\n`;
  const found = groups.map(({ count, kind, what, example }) =>
    [
      `${count} x ${kind}: ${what}`,
      `  for example ${example.job}, ${example.place}`,
      `  recorded: ${shown(example.recorded)}`,
      `  replayed: ${shown(example.replayed)}`,
      '',
    ].join('\n'),
  );
  return `${planned}: ${differing} with a different result\n\n${found.join('\n')}`;
}

/** The runs that were not planned again, for standard error. */
export function leftOut({ unreadable, unknownKinds }: Replay): string[] {
  return [
    ...[...unknownKinds].map(
      ([kind, count]) => `${count} recorded runs are left out: no operator of this version runs ${kind}`,
    ),
    ...[...unreadable].map(
      ([error, { count, place }]) => `${count} recorded runs cannot be planned again, for example ${place}: ${error}`,
    ),
  ];
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length <= LONGEST_VALUE ? text : `${text.slice(0, LONGEST_VALUE)}… (${text.length} characters)`;
}
