/**
 * Scalars as go-yaml v2 resolves them, the parser of kubectl. That is YAML 1.1 without sexagesimals, with the prefix `0o`, and with
 * timestamps left as strings.
 */

/** `bigint`: an integer that a JavaScript number cannot hold exactly; up to 64 bits, with or without a sign. */
export type Scalar = null | boolean | number | bigint | string;

const KEYWORDS = new Map<string, Scalar>([
  ...['y', 'Y', 'yes', 'Yes', 'YES', 'true', 'True', 'TRUE', 'on', 'On', 'ON'].map((text) => [text, true] as const),
  ...['n', 'N', 'no', 'No', 'NO', 'false', 'False', 'FALSE', 'off', 'Off', 'OFF'].map((text) => [text, false] as const),
  ...['', '~', 'null', 'Null', 'NULL'].map((text) => [text, null] as const),
  ...['.nan', '.NaN', '.NAN'].map((text) => [text, NaN] as const),
  ...['.inf', '.Inf', '.INF', '+.inf', '+.Inf', '+.INF'].map((text) => [text, Infinity] as const),
  ...['-.inf', '-.Inf', '-.INF'].map((text) => [text, -Infinity] as const),
]);

/** As Go's `strconv.ParseInt` with base 0 reads them. */
const INTEGER = /^([-+]?)(?:0[xX]([0-9a-fA-F]+)|0[oO]?([0-7]+)|(0|[1-9][0-9]*)|0[bB]([01]+))$/;
/** go-yaml accepts these as well. */
const SIGN_AFTER_PREFIX = /^0b([-+])([01]+)$/;
const FLOAT = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;

const MAX_INT64 = 2n ** 63n - 1n;
const MAX_UINT64 = 2n ** 64n - 1n;

/** The value of a plain scalar without a tag. */
export function resolvePlain(text: string): Scalar {
  const keyword = KEYWORDS.get(text);
  if (keyword !== undefined) return keyword;
  // Underscores separate digits anywhere but at the start, and not in numbers that begin with a point.
  if (text.startsWith('.')) return floatIn(text) ?? text;
  if (!/^[-+0-9]/.test(text)) return text;
  const digits = text.replaceAll('_', '');
  return integerIn(digits) ?? floatIn(digits) ?? text;
}

export function isInt64(value: bigint): boolean {
  return value <= MAX_INT64 && value >= -MAX_INT64 - 1n;
}

function integerIn(text: string): number | bigint | undefined {
  const [, sign = '', hex, octal, decimal, binary] = INTEGER.exec(text) ?? signFirst(text) ?? [];
  const literal = literalOf({ hex, octal, decimal, binary });
  if (literal === undefined) return undefined;
  const value = sign === '-' ? -BigInt(literal) : BigInt(literal);
  if (!isInt64(value) && (sign !== '' || value > MAX_UINT64)) return undefined;
  return Number.isSafeInteger(Number(value)) ? Number(value) : value;
}

function signFirst(text: string): RegExpExecArray | null {
  const [, sign = '', digits = ''] = SIGN_AFTER_PREFIX.exec(text) ?? [];
  return digits === '' ? null : INTEGER.exec(`${sign}0b${digits}`);
}

interface Digits {
  readonly hex: string | undefined;
  readonly octal: string | undefined;
  readonly decimal: string | undefined;
  readonly binary: string | undefined;
}

function literalOf({ hex, octal, decimal, binary }: Digits): string | undefined {
  if (hex !== undefined) return `0x${hex}`;
  if (octal !== undefined) return `0o${octal}`;
  if (binary !== undefined) return `0b${binary}`;
  return decimal;
}

/** A number that is too large is a string in go-yaml. */
function floatIn(text: string): number | undefined {
  const value = FLOAT.test(text) ? Number(text) : NaN;
  // Never negative zero: kubectl turns it into the integer 0, unless it is a key.
  return Number.isFinite(value) ? value + 0 : undefined;
}

/** Whether the text, without its tag, is a number with a fraction or an exponent, or too large for an integer. */
export function isFloat(text: string): boolean {
  const value = resolvePlain(text);
  return typeof value === 'number' && integerIn(text.replaceAll('_', '')) === undefined;
}

/** A floating-point key as kubectl writes it: with 32-bit precision. */
export function floatKey(value: number): string {
  const single = Math.fround(value);
  if (Object.is(single, -0)) return '-0';
  if (Number.isNaN(single)) return '.nan';
  if (!Number.isFinite(single)) return single > 0 ? '.inf' : '-.inf';
  let text = single.toExponential(0);
  for (let digits = 1; Math.fround(Number(text)) !== single; digits++) text = single.toExponential(digits);
  const [mantissa = '', exponent = ''] = text.split('e');
  const power = Number(exponent);
  if (power >= -4 && power < 6) return String(Number(text));
  return `${mantissa}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`;
}
