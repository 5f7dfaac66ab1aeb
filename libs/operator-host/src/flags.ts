/**
 * Command-line flags with an environment variable each, declared once as data: parsing, error messages and the help
 * table all come from the same declaration.
 *
 * Guarantees: a flag beats its environment variable, which beats the default; every wrong name or value is refused with
 * one line that names the flag (or variable) as the user wrote it and says what is allowed. An empty variable counts as
 * unset, because a chart renders unset values so.
 */
import { parseArgs } from 'node:util';
import { nearestName } from '@muster/job-api';
import * as z from 'zod';

/** What a flag takes: how it reads in help and error messages, and how the text becomes a value. */
export interface FlagKind<T> {
  /** In help, after the name. Empty for switches, which stand alone or as `--name=false`. */
  readonly placeholder: string;
  /** Completes "expected …" in an error message. */
  readonly allowed: string;
  readonly schema: z.ZodType<T, string>;
}

export interface Flag<T = unknown> {
  /** Without the dashes. */
  readonly name: string;
  readonly kind: FlagKind<T>;
  /** One sentence for help. */
  readonly about: string;
  /** As the user would write it; parsed by the same schema. Without one, the value may be undefined. */
  readonly default?: string;
  /** The variable's name where it is not `MUSTER_` and the flag's name in capitals; false for none. */
  readonly env?: string | false;
  /** May be given more than once; the values are joined with commas. */
  readonly repeatable?: boolean;
}

/** Flags by the name that the code uses for the value. */
export type FlagSet = Readonly<Record<string, Flag>>;

type ValueOf<F> = F extends { kind: FlagKind<infer T> } ? (F extends { default: string } ? T : T | undefined) : never;
export type FlagValues<S extends FlagSet> = { readonly [K in keyof S]: ValueOf<S[K]> };

/** A mistake of the person who started the operator. The message is one line and complete: print it without a stack. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

export function wholeNumber(min: number, max: number): FlagKind<number> {
  return {
    placeholder: '<number>',
    allowed: `a whole number from ${min} to ${max}`,
    schema: z.string().regex(/^\d+$/).transform(Number).pipe(z.number().min(min).max(max)),
  };
}

export function oneOf<const T extends readonly [string, ...string[]]>(values: T): FlagKind<T[number]> {
  return { placeholder: `<${values.join('|')}>`, allowed: `one of ${values.join(', ')}`, schema: z.enum(values) };
}

export function text(placeholder: string, allowed = 'some text'): FlagKind<string> {
  return { placeholder, allowed, schema: z.string().min(1) };
}

/** A value that is refused unless it looks like a DNS name: labels of lower-case letters, digits and dashes. */
export function dnsName(placeholder: string): FlagKind<string> {
  return {
    placeholder,
    allowed: 'a DNS name in lower case',
    schema: z.string().regex(DNS_NAME),
  };
}

/** Names separated by commas; an empty text is an empty list. */
export function names(placeholder: string): FlagKind<string[]> {
  return {
    placeholder,
    allowed: 'Kubernetes names, separated by commas',
    schema: z
      .string()
      .transform((value) => [...new Set(value.split(',').map((name) => name.trim()))].filter((name) => name !== ''))
      .pipe(z.array(z.string().regex(DNS_LABEL))),
  };
}

/** Durations as Go and Helm charts write them; the value is in milliseconds. */
export function duration(): FlagKind<number> {
  return {
    placeholder: '<duration>',
    allowed: 'a duration above zero such as 15s, 500ms or 1m30s',
    schema: z.string().regex(DURATION).transform(durationMs).pipe(z.number().positive()),
  };
}

export function onOff(): FlagKind<boolean> {
  return {
    placeholder: '',
    allowed: 'true or false',
    schema: z.enum(['true', 'false']).transform((value) => value === 'true'),
  };
}

const DNS_LABEL = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;
const DNS_NAME = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const DURATION = /^(\d+h)?(\d+m)?(\d+(\.\d+)?s)?(\d+ms)?$/;
const UNIT_MS: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1000, ms: 1 };

function durationMs(value: string): number {
  let total = 0;
  for (const [, amount, unit] of value.matchAll(/(\d+(?:\.\d+)?)(ms|h|m|s)/g)) {
    total += Number(amount) * (UNIT_MS[unit ?? ''] ?? 0);
  }
  return total;
}

/** The variable that sets `flag` when the command line does not. */
export function environmentVariable(flag: Flag): string | undefined {
  if (flag.env === false) return undefined;
  return flag.env ?? `MUSTER_${flag.name.toUpperCase().replaceAll('-', '_')}`;
}

/** Reads all flags of `set`. Throws `ConfigError` for the first thing that is wrong. */
export function parseFlags<S extends FlagSet>(set: S, argv: readonly string[], env: NodeJS.ProcessEnv): FlagValues<S> {
  const given = readCommandLine(set, argv);
  const values: Record<string, unknown> = {};
  for (const [key, flag] of Object.entries(set)) {
    const variable = environmentVariable(flag);
    const fromFlag = given.get(flag.name);
    const fromEnv = variable === undefined ? undefined : env[variable];
    const raw = fromFlag ?? (fromEnv || flag.default);
    if (raw === undefined) {
      values[key] = undefined;
      continue;
    }
    const parsed = flag.kind.schema.safeParse(raw);
    if (!parsed.success) {
      const source = fromFlag === undefined ? variable : `--${flag.name}`;
      throw new ConfigError(`${source} "${raw}": expected ${flag.kind.allowed}.`);
    }
    values[key] = parsed.data;
  }
  return values as FlagValues<S>;
}

function readCommandLine(set: FlagSet, argv: readonly string[]): Map<string, string> {
  const flags = new Map(Object.values(set).map((flag) => [flag.name, flag]));
  const options = Object.fromEntries(
    [...flags.values()].map((flag) => [
      flag.name,
      { type: isSwitch(flag) ? ('boolean' as const) : ('string' as const) },
    ]),
  );
  // Not strict: the parser's own messages run over several lines and do not say what is allowed.
  const { tokens } = parseArgs({ args: [...argv], options, strict: false, tokens: true });
  const given = new Map<string, string>();
  for (const token of tokens) {
    if (token.kind === 'option-terminator') continue;
    if (token.kind === 'positional')
      throw new ConfigError(`"${token.value}" is not expected here: flags begin with --.`);
    const flag = flags.get(token.name);
    if (flag === undefined) throw new ConfigError(unknownFlag(token.rawName, flags));
    const value = token.value ?? (isSwitch(flag) ? 'true' : undefined);
    if (value === undefined || (!token.inlineValue && value.startsWith('--'))) {
      throw new ConfigError(`--${flag.name} needs a value: ${flag.kind.allowed}.`);
    }
    const before = given.get(flag.name);
    given.set(flag.name, flag.repeatable && before !== undefined ? `${before},${value}` : value);
  }
  return given;
}

function isSwitch(flag: Flag): boolean {
  return flag.kind.placeholder === '';
}

function unknownFlag(rawName: string, flags: ReadonlyMap<string, Flag>): string {
  const nearest = nearestName(rawName.replace(/^-+/, ''), flags.keys());
  const hint = nearest === undefined ? '' : ` Did you mean --${nearest}?`;
  return `${rawName} is not a flag of this operator.${hint} See --help.`;
}

/** The flags as a table for `--help`. */
export function flagTable(set: FlagSet): string {
  const left = (flag: Flag) => `  --${flag.name}${isSwitch(flag) ? '[=true|false]' : ` ${flag.kind.placeholder}`}`;
  const width = Math.min(46, Math.max(...Object.values(set).map((flag) => left(flag).length)));
  const indent = ' '.repeat(width + 2);
  return Object.values(set)
    .map((flag) => {
      const head = left(flag);
      const first = head.length > width ? `${head}\n${indent}` : head.padEnd(width + 2);
      const fallback = flag.default === undefined || flag.default === '' ? undefined : `default ${flag.default}`;
      const notes = [environmentVariable(flag), fallback].filter((note) => note !== undefined);
      return `${first}${flag.about}${notes.length === 0 ? '' : `\n${indent}(${notes.join(', ')})`}`;
    })
    .join('\n');
}
