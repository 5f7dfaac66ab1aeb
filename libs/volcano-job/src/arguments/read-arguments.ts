/**
 * The arguments of a plugin: a command line in a list, as Go's package `flag` takes it. Go ends at the first word that it does
 * not know and goes on with defaults; here each is told of, with its place in the spec.
 */
import type { Problem } from '@muster/common-job-controller';
import { nearestName } from '@muster/job-api';
import type { Flags, Values } from './flags.ts';

export interface ReadArguments<F extends Flags> {
  /** Of a flag that is given twice, the last. Of one that is wrong or left out, its default. */
  readonly values: Values<F>;
  /** The places of the flags that are given, by name. */
  readonly places: ReadonlyMap<string, string>;
  readonly problems: readonly Problem[];
}

interface Word {
  readonly path: string;
  readonly text: string;
}

/** @param path of the list: `spec.plugins.tensorflow` */
export function readArguments<F extends Flags>(flags: F, args: readonly string[], path: string): ReadArguments<F> {
  const values: Record<string, unknown> = Object.fromEntries(
    Object.entries(flags).map(([name, { initial }]) => [name, initial]),
  );
  const places = new Map<string, string>();
  const problems: Problem[] = [];
  const words: Word[] = args.map((text, at) => ({ text, path: `${path}[${at}]` }));
  for (let word = words.shift(); word !== undefined; word = words.shift()) {
    const [, name, given] = /^--?([^-=][^=]*)(?:=(.*))?$/s.exec(word.text) ?? [];
    const flag = name === undefined ? undefined : flags[name];
    if (name === undefined || flag === undefined) {
      problems.push(unknown(word, name, flags));
      continue;
    }
    const value = given ?? (flag.isSwitch === true ? 'true' : words.shift()?.text);
    const read = value === undefined ? undefined : flag.read(value);
    places.set(name, word.path);
    if (read === undefined) problems.push(unfit(word, value, flag.expects));
    else values[name] = read;
  }
  return { values: values as Values<F>, places, problems };
}

function unknown({ path, text }: Word, name: string | undefined, flags: Flags): Problem {
  const known = Object.keys(flags);
  const all = known.length === 0 ? 'the plugin takes none' : `those of the plugin are ${listed(known)}`;
  if (name === undefined) {
    return { path, message: `Invalid value: ${quoted(text)}: is no flag: ${all}; write a value as --flag=value` };
  }
  const nearest = nearestName(name, known);
  const hint = nearest === undefined ? all : `did you mean --${nearest}?`;
  return { path, message: `Unsupported value: ${quoted(text)}: the plugin has no flag --${name}: ${hint}` };
}

function unfit({ path, text }: Word, value: string | undefined, expects: string): Problem {
  const shown = value === undefined || text.includes('=') ? text : `${text} ${value}`;
  return { path, message: `Invalid value: ${quoted(shown)}: the flag takes ${expects}` };
}

function listed(names: readonly string[]): string {
  return names.map((name) => `--${name}`).join(', ');
}

/** Keys are long, and need not stand in a status. */
function quoted(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 77)}…` : text);
}
