/** The kinds of flags that plugins of a Volcano Job take, as Go's package `flag` reads them. */

/** One flag of a plugin. */
export interface Flag<T> {
  /** What holds where it is not given. */
  readonly initial: T;
  /** What may stand behind it, in words. */
  readonly expects: string;
  /** What it does, for the reference. */
  readonly meaning: string;
  /** Whether it may stand alone, and is true then. */
  readonly isSwitch?: boolean;
  /** Whether it names a task of the job, which has to be there if the flag is given. */
  readonly namesTask?: boolean;
  /** Undefined: `text` is nothing that may stand behind it. */
  readonly read: (text: string) => T | undefined;
}

/** By name, without dashes. */
export type Flags = Readonly<Record<string, Flag<unknown>>>;

/** What the flags say. */
export type Values<F extends Flags> = { readonly [K in keyof F]: F[K] extends Flag<infer T> ? T : never };

export function text(initial: string, meaning: string): Flag<string> {
  return { initial, meaning, expects: 'a text', read: (given) => given };
}

/** The name of a task. */
export function task(initial: string, meaning: string): Flag<string> {
  return { ...text(initial, meaning), expects: 'the name of a task', namesTask: true, read: notEmpty };
}

export function port(initial: number, meaning: string): Flag<number> {
  return wholeNumber(initial, meaning, [1, 65_535], 'a port from 1 to 65535');
}

export function seconds(initial: number, meaning: string): Flag<number> {
  return wholeNumber(initial, meaning, [1, 86_400], 'a number of seconds from 1 to 86400');
}

/** A whole number from 1 up. Undefined where it is not given: then it follows from something else. */
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
