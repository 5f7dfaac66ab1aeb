/** The annotation `ray.io/initializing-timeout`: a Go duration, or whole seconds. */

const UNITS_MS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};
const PART = /(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|ms|s|m|h)/gu;

/** Undefined without a limit, NaN if the value is invalid. */
export function initializingTimeoutMs(value: string | undefined): number | undefined {
  if (value === undefined || value === '') return undefined;
  if (/^\d+$/.test(value)) return positive(Number(value) * 1000);
  if (value.replaceAll(PART, '') !== '') return NaN;
  const parts = [...value.matchAll(PART)].map(([, amount, unit]) => Number(amount) * (UNITS_MS[unit ?? ''] ?? NaN));
  return positive(parts.reduce((sum, ms) => sum + ms, 0));
}

function positive(ms: number): number {
  return ms > 0 ? ms : NaN;
}
