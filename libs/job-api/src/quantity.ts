/**
 * Resource quantities (`500m`, `1.5Gi`, `1e3`), parsed, added and formatted exactly as Kubernetes does
 * (k8s.io/apimachinery, pkg/api/resource/quantity.go), without floating point.
 */

type QuantityFormat = 'DecimalSI' | 'BinarySI' | 'DecimalExponent';

export interface Quantity {
  /** In billionths of the unit, the resolution of Kubernetes. */
  readonly nanos: bigint;
  /** Format of the input, kept for the output and for sums that start with it. */
  readonly format: QuantityFormat;
}

export const NO_QUANTITY: Quantity = { nanos: 0n, format: 'DecimalSI' };

const NANOS = 1_000_000_000n;
/** Kubernetes caps what is larger. */
const LARGEST = (2n ** 63n - 1n) * NANOS;
/** Larger exponents are out of range: the value is capped. */
const LARGEST_EXPONENT = 64;

const TEXT = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+)|([KMGTPE]i)|([numkMGTPE]))?$/;
const DECIMAL_SUFFIXES = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'];
const BINARY_SUFFIXES = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];

/**
 * Undefined if `text` is not a quantity. Rounds away from zero to billionths. In a pod template that no API server has validated,
 * `text` may be of any type.
 */
export function parseQuantity(text: string | number): Quantity | undefined {
  if (typeof text !== 'string' && typeof text !== 'number') return undefined;
  // As when the API server decodes JSON.
  const match = TEXT.exec(String(text).trim());
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
  // Values below 1024 and fractions have no binary suffix.
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
