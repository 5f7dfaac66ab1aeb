/** Configuration of a series or column: defaults of the panel, and overrides of matchers. */
import type { FieldConfig, MappingResult, Panel, ThresholdStep, ValueMapping } from './dashboard.ts';
import { formatValue } from './unit.ts';

export interface Field {
  readonly name: string;
  /** Its query. */
  readonly refId?: string;
  readonly isTime?: boolean;
  readonly isNumber?: boolean;
}

/** Supported matchers of overrides. */
export const MATCHERS: Readonly<Record<string, (field: Field, options: unknown) => boolean>> = {
  byName: ({ name }, options) => name === options,
  byRegexp: ({ name }, options) => typeof options === 'string' && matches(options, name),
  byFrameRefID: ({ refId }, options) => refId === options,
  byType: ({ isTime, isNumber }, options) =>
    options === 'time' ? isTime === true : options === 'number' ? isNumber === true : false,
};

function matches(regex: string, text: string): boolean {
  const [, pattern = regex, flags = ''] = /^\/(.*)\/(\w*)$/s.exec(regex) ?? [];
  return new RegExp(pattern, flags.replace('g', '')).test(text);
}

export function fieldConfigOf({ fieldConfig }: Pick<Panel, 'fieldConfig'>, field: Field): FieldConfig {
  let config: FieldConfig = fieldConfig?.defaults ?? {};
  for (const { matcher, properties } of fieldConfig?.overrides ?? []) {
    if (MATCHERS[matcher.id]?.(field, matcher.options) !== true) continue;
    for (const { id, value } of properties) config = withProperty(config, id, value);
  }
  return config;
}

/** `custom.lineWidth` is a property of `custom`. Deeper paths are not supported. */
function withProperty(config: FieldConfig, id: string, value: unknown): FieldConfig {
  const custom = /^custom\.(\w+)$/.exec(id)?.[1];
  if (custom === undefined) return { ...config, [id]: value };
  return { ...config, custom: { ...config.custom, [custom]: value } };
}

export function displayName(config: FieldConfig, field: Field): string {
  const name = config.displayName ?? '';
  return name === '' ? field.name : name;
}

/** A value as text, with an optional colour. */
export interface Shown {
  readonly text: string;
  /** `green`, `#fa0`. */
  readonly color?: string;
}

/** The text of a value mapping takes precedence over the unit, and its colour over that of the threshold. */
export function shownNumber(value: number | undefined, config: FieldConfig, nowMs: number): Shown {
  if (value === undefined || Number.isNaN(value)) {
    const mapped = mappingOf(config.mappings ?? [], Number.isNaN(value) ? NaN : null);
    return { text: mapped?.text ?? (config.noValue || 'no data'), ...colored(mapped?.color) };
  }
  const mapped = mappingOf(config.mappings ?? [], value);
  const color = mapped?.color ?? colorOf(value, config);
  return { text: mapped?.text ?? formatValue(value, config, nowMs), ...colored(color) };
}

export function shownText(value: string, config: FieldConfig): Shown {
  const mapped = mappingOf(config.mappings ?? [], value);
  return { text: mapped?.text ?? value, ...colored(mapped?.color) };
}

const colored = (color: string | undefined) => (color === undefined ? {} : { color });

function colorOf(value: number, config: FieldConfig): string | undefined {
  if (config.color?.mode === 'fixed') return config.color.fixedColor;
  return thresholdColor(value, config);
}

/** Colour of the highest threshold that a value reaches. */
export function thresholdColor(value: number, { thresholds, min, max }: FieldConfig): string | undefined {
  const share = thresholds?.mode === 'percentage' ? ((value - (min ?? 0)) / ((max ?? 100) - (min ?? 0))) * 100 : value;
  return thresholdSteps(thresholds?.steps ?? []).findLast(({ from }) => share >= from)?.color;
}

/** Steps with the values from which they apply. */
export function thresholdSteps(steps: readonly ThresholdStep[]): { color: string; from: number }[] {
  return steps
    .map(({ color, value }) => ({ color, from: value ?? -Infinity }))
    .sort((one, other) => one.from - other.from);
}

/** Supported types of value mappings. */
export const MAPPINGS: Readonly<Record<string, (options: unknown, value: number | string | null) => unknown>> = {
  value: (options, value) => (options as Record<string, unknown>)[String(value)],
  range(options, value) {
    const { from, to, result } = options as { from?: number | null; to?: number | null; result?: unknown };
    if (typeof value !== 'number') return undefined;
    return value >= (from ?? -Infinity) && value <= (to ?? Infinity) ? result : undefined;
  },
  regex(options, value) {
    const { pattern = '', result } = options as { pattern?: string; result?: unknown };
    return matches(pattern, String(value)) ? result : undefined;
  },
  special(options, value) {
    const { match, result } = options as { match?: string; result?: unknown };
    const isNull = value === null;
    const isNaN = Number.isNaN(value);
    const isMatch =
      (match === 'null' && isNull) ||
      (match === 'nan' && isNaN) ||
      (match === 'null+nan' && (isNull || isNaN)) ||
      (match === 'empty' && value === '');
    return isMatch ? result : undefined;
  },
};

function mappingOf(mappings: readonly ValueMapping[], value: number | string | null): MappingResult | undefined {
  for (const { type, options } of mappings) {
    const result = MAPPINGS[type]?.(options, value);
    if (result !== undefined) return result as MappingResult;
  }
  return undefined;
}
