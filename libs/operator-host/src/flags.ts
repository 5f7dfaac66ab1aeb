/**
 * Command-line flags as data, each with an environment variable; commander parses them and writes the help.
 *
 * A flag precedes its variable, which precedes the default. An invalid name or value is one line that names the flag or
 * variable and the allowed values. An empty variable counts as unset, because charts render unset values as empty.
 */
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import * as z from 'zod';

export interface FlagKind<T> {
  /** Follows the name in help; in square brackets if the value is optional and defaults to `true`. */
  readonly placeholder: string;
  /** Completes "Expected …" in an error message. */
  readonly allowed: string;
  readonly schema: z.ZodType<T, string>;
  /** For repeatable flags: merges the values. Otherwise the last one counts. */
  merge?(before: T, value: T): T;
}

export interface Flag<T = unknown> {
  /** Without the dashes. */
  readonly name: string;
  readonly kind: FlagKind<T>;
  readonly about: string;
  /** As the user would write it, and parsed by the same schema. Without it the value may be undefined. */
  readonly default?: string;
  /** Default: `MUSTER_` and the flag's name in capitals; false: no variable. */
  readonly env?: string | false;
}

export type FlagSet = Readonly<Record<string, Flag>>;

type ValueOf<F> = F extends { kind: FlagKind<infer T> } ? (F extends { default: string } ? T : T | undefined) : never;
export type FlagValues<S extends FlagSet> = { readonly [K in keyof S]: ValueOf<S[K]> };

/** A configuration error. The message is one complete line: print it without a stack. */
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

/** Text that begins with `--` is the next flag: the value is missing. */
export function text(placeholder: string, allowed = 'some text'): FlagKind<string> {
  return { placeholder, allowed, schema: z.string().regex(/^(?!--)./) };
}

export function dnsName(placeholder: string): FlagKind<string> {
  return {
    placeholder,
    allowed: 'a DNS name in lower case',
    schema: z.string().regex(DNS_NAME),
  };
}

/** Comma-separated, or in repeated flags; an empty text is an empty list. */
export function names(placeholder: string): FlagKind<string[]> {
  return {
    placeholder,
    allowed: 'Kubernetes names, separated by commas',
    schema: z
      .string()
      .transform((value) => [...new Set(value.split(',').map((name) => name.trim()))].filter((name) => name !== ''))
      .pipe(z.array(z.string().regex(DNS_LABEL))),
    merge: (before, value) => [...new Set([...before, ...value])],
  };
}

/** The format of Go and Helm charts; the value is in milliseconds. */
export function duration(): FlagKind<number> {
  return {
    placeholder: '<duration>',
    allowed: 'a duration above zero such as 15s, 500ms or 1m30s',
    schema: z.string().regex(DURATION).transform(durationMs).pipe(z.number().positive()),
  };
}

export function onOff(): FlagKind<boolean> {
  return {
    placeholder: '[true|false]',
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

export function environmentVariable(flag: Flag): string | undefined {
  if (flag.env === false) return undefined;
  return flag.env ?? `MUSTER_${flag.name.toUpperCase().replaceAll('-', '_')}`;
}

export function optionOf(flag: Flag): Option {
  const { kind } = flag;
  const option = new Option(`--${flag.name} ${kind.placeholder}`, flag.about).argParser((value, before: unknown) => {
    const parsed = kind.schema.safeParse(value);
    if (!parsed.success) throw new InvalidArgumentError(`Expected ${kind.allowed}.`);
    return before === undefined || kind.merge === undefined ? parsed.data : kind.merge(before, parsed.data);
  });
  if (flag.default !== undefined) option.default(kind.schema.parse(flag.default), flag.default || 'unset');
  const variable = environmentVariable(flag);
  return variable === undefined ? option : option.env(variable);
}

/** Throws `ConfigError` for the first error. */
export function parseFlags<S extends FlagSet>(set: S, argv: readonly string[]): FlagValues<S> {
  const command = new Command().exitOverride().configureOutput({ writeErr: () => undefined });
  const options = Object.entries(set).map(([key, flag]) => [key, optionOf(flag)] as const);
  for (const [, option] of options) {
    if (option.envVar !== undefined && process.env[option.envVar] === '') delete option.envVar;
    command.addOption(option);
  }
  try {
    command.parse(argv, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    throw new ConfigError(error.message.replaceAll('\n', ' '), { cause: error });
  }
  const values = options.map(([key, option]) => [key, command.getOptionValue(option.attributeName()) as unknown]);
  return Object.fromEntries(values) as FlagValues<S>;
}
