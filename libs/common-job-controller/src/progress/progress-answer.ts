/** Parses a program's progress: `{"step": 41, "percent": 12.5, "remainingSeconds": 600, "metrics": {"loss": 0.3}}`. */
import type { Answer } from '@muster/probes';

export interface ReportedProgress {
  readonly percent?: number;
  readonly step?: number;
  readonly remainingSeconds?: number;
  readonly metrics?: Readonly<Record<string, number>>;
}

const MOST_METRICS = 10;
const METRIC_NAME = /^[A-Za-z_][A-Za-z0-9_.-]{0,62}$/;
const LARGEST_COUNT = 2 ** 31 - 1;

/** The progress, or why the answer is invalid. Unknown fields and null are ignored. */
export function readProgress({ status, body }: Answer): ReportedProgress | string {
  if (status !== 200) return `it responds with HTTP status ${status}`;
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return 'its response is not a JSON object';
  const { percent, step, remainingSeconds, metrics } = body as Record<string, unknown>;
  const wrong =
    wrongNumber('percent', percent, 100) ??
    wrongNumber('step', step, Number.MAX_SAFE_INTEGER) ??
    wrongNumber('remainingSeconds', remainingSeconds, Infinity);
  if (wrong !== undefined) return wrong;
  if (!isNumber(percent) && !isNumber(step)) return 'its response has neither percent nor step';
  const numbers = numbersOf(metrics);
  return {
    // Differences below a hundredth of a percent are rounding, not progress.
    ...(isNumber(percent) && { percent: Math.floor(percent * 100) / 100 }),
    ...(isNumber(step) && { step: Math.floor(step) }),
    ...(isNumber(remainingSeconds) && { remainingSeconds: Math.min(LARGEST_COUNT, Math.ceil(remainingSeconds)) }),
    ...(numbers !== undefined && { metrics: numbers }),
  };
}

function wrongNumber(field: string, value: unknown, most: number): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (isNumber(value) && value >= 0 && value <= most) return undefined;
  return `${field} is not a number from 0 to ${most}`;
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number';
}

function numbersOf(metrics: unknown): Record<string, number> | undefined {
  if (typeof metrics !== 'object' || metrics === null) return undefined;
  const numbers = Object.entries(metrics as Record<string, unknown>).filter(
    (entry): entry is [string, number] => METRIC_NAME.test(entry[0]) && isNumber(entry[1]),
  );
  return numbers.length === 0 ? undefined : Object.fromEntries(numbers.slice(0, MOST_METRICS));
}
