/** Formats values by the units of Grafana. */
import { momentText } from './time-text.ts';

export interface Format {
  readonly unit?: string | undefined;
  /** Digits after the decimal point. Default: three significant digits. */
  readonly decimals?: number | null | undefined;
}

type Formatter = (value: number, decimals: number | undefined, nowMs: number) => string;

/** Known units. Other units are appended to the number by name. */
export const UNITS: Readonly<Record<string, Formatter>> = {
  none: (value, decimals) => plain(value, decimals),
  string: (value) => String(value),
  short: scaled(1000, ['', ' K', ' Mil', ' Bil', ' Tri']),
  locale: (value) => value.toLocaleString('en'),
  percent: (value, decimals) => `${plain(value, decimals)}%`,
  percentunit: (value, decimals) => `${plain(value * 100, decimals)}%`,
  bytes: scaled(1024, [' B', ' KiB', ' MiB', ' GiB', ' TiB']),
  decbytes: scaled(1000, [' B', ' kB', ' MB', ' GB', ' TB']),
  Bps: scaled(1000, [' B/s', ' kB/s', ' MB/s', ' GB/s', ' TB/s']),
  ms: (value, decimals) => timeSpan(value / 1000, decimals),
  s: (value, decimals) => timeSpan(value, decimals),
  dtdurations: (value) => wholeSpan(value),
  clocks: (value) => wholeSpan(value),
  reqps: rate('req/s'),
  ops: rate('ops/s'),
  cps: rate('c/s'),
  rps: rate('rd/s'),
  wps: rate('wr/s'),
  eps: rate('evt/s'),
  opm: rate('ops/m'),
  cpm: rate('c/m'),
  dateTimeAsIso: (value) => momentText(value),
  dateTimeAsLocal: (value) => momentText(value),
  dateTimeAsSystem: (value) => momentText(value),
  dateTimeAsIsoNoDateIfToday: (value, _decimals, nowMs) => {
    const text = momentText(value);
    return text.slice(0, 10) === momentText(nowMs).slice(0, 10) ? text.slice(11) : text;
  },
  dateTimeFromNow: (value, _decimals, nowMs) =>
    value <= nowMs ? `${coarseSpan((nowMs - value) / 1000)} ago` : `in ${coarseSpan((value - nowMs) / 1000)}`,
  bool: (value) => (value === 0 ? 'False' : 'True'),
  bool_yes_no: (value) => (value === 0 ? 'No' : 'Yes'),
  bool_on_off: (value) => (value === 0 ? 'Off' : 'On'),
};

export function formatValue(value: number, { unit = 'none', decimals }: Format, nowMs: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '∞' : '−∞';
  const known = UNITS[unit];
  if (known !== undefined) return known(value, decimals ?? undefined, nowMs);
  return `${plain(value, decimals ?? undefined)} ${unit.replace(/^suffix:/, '')}`;
}

function plain(value: number, decimals: number | undefined): string {
  if (decimals !== undefined) return value.toFixed(decimals);
  if (Number.isInteger(value)) return String(value);
  const digits = Math.floor(Math.log10(Math.abs(value)));
  const behindPoint = Math.min(Math.max(2 - digits, 0), 8);
  return String(Number(value.toFixed(behindPoint)));
}

function scaled(base: number, units: readonly string[]): Formatter {
  return (value, decimals) => {
    const power = Math.abs(value) < base ? 0 : Math.floor(Math.log(Math.abs(value)) / Math.log(base) + 1e-9);
    const index = Math.min(power, units.length - 1);
    return `${plain(value / base ** index, decimals)}${units[index] ?? ''}`;
  };
}

function rate(unit: string): Formatter {
  const inThousands = scaled(1000, [' ', ' K', ' M']);
  return (value, decimals, nowMs) => `${inThousands(value, decimals, nowMs)}${unit}`;
}

const SPANS: readonly (readonly [seconds: number, unit: string])[] = [
  [86_400, 'd'],
  [3600, 'h'],
  [60, 'min'],
  [1, 's'],
  [1e-3, 'ms'],
  [1e-6, 'µs'],
  [1e-9, 'ns'],
];

/** In the largest unit with a value of at least 1. */
function timeSpan(seconds: number, decimals: number | undefined): string {
  if (seconds === 0) return '0 s';
  const [size, unit] = SPANS.find(([each]) => Math.abs(seconds) >= each) ?? [1e-9, 'ns'];
  return `${plain(seconds / size, decimals)} ${unit}`;
}

/** The two largest units: `2 h 5 min`. */
function wholeSpan(seconds: number): string {
  const whole = Math.round(Math.abs(seconds));
  const first = SPANS.findIndex(([size]) => size >= 1 && whole >= size);
  if (first < 0) return timeSpan(seconds, undefined);
  const parts: string[] = [];
  let rest = whole;
  for (const [size, unit] of SPANS.slice(first, first + 2)) {
    const count = size >= 1 ? Math.floor(rest / size) : 0;
    if (count > 0) parts.push(`${count} ${unit}`);
    rest -= count * size;
  }
  return `${seconds < 0 ? '−' : ''}${parts.join(' ')}`;
}

function coarseSpan(seconds: number): string {
  const [size, unit] = SPANS.find(([each]) => each >= 1 && seconds >= each) ?? [1, 's'];
  return `${Math.floor(seconds / size)} ${unit}`;
}
