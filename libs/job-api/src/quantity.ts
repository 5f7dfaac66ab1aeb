/**
 * Amounts of resources (`500m`, `1.5Gi`, `1e3`), read, added and written as Kubernetes does
 * (k8s.io/apimachinery, pkg/api/resource/quantity.go), and exactly: no floating point anywhere.
 */

type QuantityFormat = 'DecimalSI' | 'BinarySI' | 'DecimalExponent';

export interface Quantity {
  /** In billionths of the unit, the finest that Kubernetes knows. */
  readonly nanos: bigint;
  /** How it was written, which is how it and sums that begin with it are written again. */
  readonly format: QuantityFormat;
}

export const NO_QUANTITY: Quantity = { nanos: 0n, format: 'DecimalSI' };

const NANOS = 1_000_000_000n;
/** Kubernetes caps what is larger. */
const LARGEST = (2n ** 63n - 1n) * NANOS;
/** Beyond this an exponent only says "too large" or "too small", so there is no need to raise anything to it. */
const LARGEST_EXPONENT = 64;

const TEXT = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+)|([KMGTPE]i)|([numkMGTPE]))?$/;
const DECIMAL_SUFFIXES = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'];
const BINARY_SUFFIXES = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];

/** Undefined when it is none. What is finer than a billionth is rounded away from zero. */
export function parseQuantity(text: string | number): Quantity | undefined {
  const match = TEXT.exec(String(text));
  if (match === null) return undefined;
  const [, sign, whole = '', fraction = '', exponent, binary, decimal = ''] = match;
  const digits = whole + fraction;
  if (digits === '') return undefined;
  const power = exponent === undefined ? 3 * DECIMAL_SUFFIXES.indexOf(decimal) - 9 : Number(exponent);
  const mantissa = BigInt(digits) * 1024n ** BigInt(BINARY_SUFFIXES.indexOf(binary ?? ''));
  const scaled = timesPowerOfTen(mantissa, 9 - fraction.length + (binary === undefined ? power : 0));
  const magnitude = scaled > LARGEST ? LARGEST : scaled;
  return {
    nanos: sign === '-' ? -magnitude : magnitude,
    format: exponent !== undefined ? 'DecimalExponent' : binary !== undefined ? 'BinarySI' : 'DecimalSI',
  };
}

/** In the format of the first that is not zero. */
export function addQuantities(one: Quantity, other: Quantity): Quantity {
  return { nanos: one.nanos + other.nanos, format: one.nanos === 0n ? other.format : one.format };
}

/** `quantity`, `count` times. */
export function multiplyQuantity({ nanos, format }: Quantity, count: number): Quantity {
  return { nanos: nanos * BigInt(count), format };
}

/** The canonical text: the largest suffix that needs no fraction. */
export function formatQuantity({ nanos, format }: Quantity): string {
  const magnitude = nanos < 0n ? -nanos : nanos;
  // Below 1024 and with a fraction, powers of 1024 have nothing to offer.
  const isBinary = format === 'BinarySI' && nanos % NANOS === 0n && magnitude >= 1024n * NANOS;
  if (isBinary) {
    const { mantissa, power } = shortened(nanos / NANOS, 1024n, BINARY_SUFFIXES.length - 1);
    return `${mantissa}${BINARY_SUFFIXES[power]}`;
  }
  const { mantissa, power } = shortened(nanos, 1000n, DECIMAL_SUFFIXES.length - 1);
  if (nanos === 0n) return '0';
  if (format !== 'DecimalExponent') return `${mantissa}${DECIMAL_SUFFIXES[power]}`;
  const exponent = 3 * power - 9;
  return exponent === 0 ? `${mantissa}` : `${mantissa}e${exponent}`;
}

/** `nanos` without the factors of `base`, up to `limit` of them. */
function shortened(value: bigint, base: bigint, limit: number): { mantissa: bigint; power: number } {
  let mantissa = value;
  let power = 0;
  while (power < limit && mantissa % base === 0n) {
    mantissa /= base;
    power++;
  }
  return { mantissa, power };
}

/** Rounded up where digits are lost. */
function timesPowerOfTen(value: bigint, exponent: number): bigint {
  if (value === 0n) return 0n;
  if (exponent > LARGEST_EXPONENT) return LARGEST;
  if (exponent >= 0) return value * 10n ** BigInt(exponent);
  if (-exponent > value.toString().length) return 1n;
  const divisor = 10n ** BigInt(-exponent);
  return (value + divisor - 1n) / divisor;
}
