/** Types of plugin flags, parsed like Go's package `flag`. */

export interface Flag<T> {
  readonly initial: T;
  /** The expected value, for error messages. */
  readonly expects: string;
  readonly meaning: string;
  /** The flag may have no value; it is true then. */
  readonly isSwitch?: boolean;
  /** The value is the name of a task, which has to exist. */
  readonly namesTask?: boolean;
  /** Returns undefined if `text` is invalid. */
  readonly read: (text: string) => T | undefined;
}

export type Flags = Readonly<Record<string, Flag<unknown>>>;

/** Parsed values by flag name. */
export type Values<F extends Flags> = { readonly [K in keyof F]: F[K] extends Flag<infer T> ? T : never };

export function text(initial: string, meaning: string): Flag<string> {
  return { initial, meaning, expects: 'a text', read: (given) => given };
}

export function task(initial: string, meaning: string): Flag<string> {
  return { ...text(initial, meaning), expects: 'the name of a task', namesTask: true, read: notEmpty };
}

export function port(initial: number, meaning: string): Flag<number> {
  return wholeNumber(initial, meaning, [1, 65_535], 'a port from 1 to 65535');
}

export function seconds(initial: number, meaning: string): Flag<number> {
  return wholeNumber(initial, meaning, [1, 86_400], 'a number of seconds from 1 to 86400');
}

/** An integer from 1 up. Undefined if not given. */
export function amount(meaning: string): Flag<number | undefined> {
  const most = 10_000;
  const { read } = wholeNumber(1, meaning, [1, most], '');
  return { initial: undefined, meaning, expects: `a number from 1 to ${most}`, read };
}

export function folder(initial: string, meaning: string): Flag<string> {
  const read = (given: string) => (/^\/[^:]*$/.test(given) ? given : undefined);
  return { initial, meaning, expects: 'a path that begins with /, without a colon', read };
}

const TRUE = new Set(['1', 't', 'T', 'TRUE', 'true', 'True']);
const FALSE = new Set(['0', 'f', 'F', 'FALSE', 'false', 'False']);

export function onOff(initial: boolean, meaning: string): Flag<boolean> {
  const read = (given: string) => (TRUE.has(given) ? true : FALSE.has(given) ? false : undefined);
  return { initial, meaning, expects: 'true or false', isSwitch: true, read };
}

function notEmpty(given: string): string | undefined {
  return given === '' ? undefined : given;
}

function wholeNumber(initial: number, meaning: string, [least, most]: [number, number], expects: string): Flag<number> {
  const read = (given: string) => {
    const number = /^[0-9]{1,9}$/.test(given) ? Number(given) : NaN;
    return number >= least && number <= most ? number : undefined;
  };
  return { initial, meaning, expects, read };
}
