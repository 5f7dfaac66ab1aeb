/** Parses plugin arguments like Go's package `flag`, but reports every invalid argument, not only the first. */
import type { Problem } from '@muster/common-job-controller';
import { nearestName } from '@muster/job-api';
import type { Flags, Values } from './flags.ts';

export interface ReadArguments<F extends Flags> {
  /** The last value of a repeated flag; the default of an invalid or missing one. */
  readonly values: Values<F>;
  /** Field paths of the given flags, by name. */
  readonly places: ReadonlyMap<string, string>;
  readonly problems: readonly Problem[];
}

interface Argument {
  readonly path: string;
  readonly text: string;
}

/** @param path field path of the list: `spec.plugins.tensorflow` */
export function readArguments<F extends Flags>(flags: F, args: readonly string[], path: string): ReadArguments<F> {
  const values: Record<string, unknown> = Object.fromEntries(
    Object.entries(flags).map(([name, { initial }]) => [name, initial]),
  );
  const places = new Map<string, string>();
  const problems: Problem[] = [];
  const rest: Argument[] = args.map((text, at) => ({ text, path: `${path}[${at}]` }));
  for (let argument = rest.shift(); argument !== undefined; argument = rest.shift()) {
    const [, name, given] = /^--?([^-=][^=]*)(?:=(.*))?$/s.exec(argument.text) ?? [];
    const flag = name === undefined ? undefined : flags[name];
    if (name === undefined || flag === undefined) {
      problems.push(unknown(argument, name, flags));
      continue;
    }
    const value = given ?? (flag.isSwitch === true ? 'true' : rest.shift()?.text);
    const read = value === undefined ? undefined : flag.read(value);
    places.set(name, argument.path);
    if (read === undefined) problems.push(invalid(argument, value, flag.expects));
    else values[name] = read;
  }
  return { values: values as Values<F>, places, problems };
}

function unknown({ path, text }: Argument, name: string | undefined, flags: Flags): Problem {
  const known = Object.keys(flags);
  const all = known.length === 0 ? 'the plugin has no flags' : `its flags are ${listed(known)}`;
  if (name === undefined) {
    return { path, message: `Invalid value: ${quoted(text)}: is not a flag: ${all}; write a value as --flag=value` };
  }
  const nearest = nearestName(name, known);
  const hint = nearest === undefined ? all : `did you mean --${nearest}?`;
  return { path, message: `Unsupported value: ${quoted(text)}: the plugin has no flag --${name}: ${hint}` };
}

function invalid({ path, text }: Argument, value: string | undefined, expects: string): Problem {
  const shown = value === undefined || text.includes('=') ? text : `${text} ${value}`;
  return { path, message: `Invalid value: ${quoted(shown)}: the flag takes ${expects}` };
}

function listed(names: readonly string[]): string {
  return names.map((name) => `--${name}`).join(', ');
}

/** Truncated: an SSH key is too long for a status. */
function quoted(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 77)}…` : text);
}
