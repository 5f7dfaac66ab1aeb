/**
 * Building blocks for the API server's rules about objects that it has not seen yet. Values may be of any type. Wrong types are
 * reported by {@link wrongTypes}, so a check of a text ignores a number.
 */
import type { FieldProblem } from '@muster/job-api';

/** The problems of a value at a path. */
export type Check = (value: unknown, path: string) => FieldProblem[];

type Fields = Readonly<Record<string, unknown>>;

export function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

/** The objects in a list, with their paths. An item without a value is an empty object. */
export function itemsOf(value: unknown, path: string): [item: Fields, path: string][] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((item: unknown, at) =>
    typeof item === 'object' && !Array.isArray(item) ? [[fieldsOf(item), `${path}[${at}]`]] : [],
  );
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Whether the API server reads the field as left out. */
export function isAbsent(value: unknown): value is undefined | null | '' {
  return value === undefined || value === null || value === '';
}

export function invalid(path: string, value: unknown, message: string): FieldProblem {
  return { path, message: `Invalid value: ${JSON.stringify(value)}: ${message}` };
}

export function required(path: string, message: string): FieldProblem {
  return { path, message: `Required value: ${message}` };
}

export function duplicate(path: string, value: unknown): FieldProblem {
  return { path, message: `Duplicate value: ${JSON.stringify(value)}` };
}

export const all =
  (...checks: readonly Check[]): Check =>
  (value, path) =>
    checks.flatMap((check) => check(value, path));

/** Every field of an object, also one that is left out. */
export const fields =
  (checks: Readonly<Record<string, Check>>): Check =>
  (value, path) =>
    isAbsent(value) || typeof value !== 'object' || Array.isArray(value)
      ? []
      : Object.entries(checks).flatMap(([field, check]) => check(fieldsOf(value)[field], `${path}.${field}`));

export const list =
  (check: Check): Check =>
  (value, path) =>
    itemsOf(value, path).flatMap(([item, at]) => check(item, at));

export const present =
  (message: string): Check =>
  (value, path) =>
    isAbsent(value) || (Array.isArray(value) && value.length === 0) ? [required(path, message)] : [];

export const oneOf =
  (...allowed: readonly string[]): Check =>
  (value, path) =>
    isAbsent(value) || typeof value !== 'string' || allowed.includes(value)
      ? []
      : [
          {
            path,
            message: `Unsupported value: ${JSON.stringify(value)}: supported values: ${allowed.map((each) => `"${each}"`).join(', ')}`,
          },
        ];

/** Of a text that is not empty. */
export const text =
  (holds: (value: string) => boolean, message: string): Check =>
  (value, path) =>
    isAbsent(value) || typeof value !== 'string' || holds(value) ? [] : [invalid(path, value, message)];

export const within =
  (least: number, most: number): Check =>
  (value, path) =>
    typeof value !== 'number' || (value >= least && value <= most)
      ? []
      : [invalid(path, value, `must be between ${least} and ${most}, inclusive`)];

/** Items of a list with equal values of a field, which must be unique. */
export const distinct =
  (field: string): Check =>
  (value, path) =>
    repeated(itemsOf(value, path).map(([item, at]) => [item[field], `${at}.${field}`]));

/** Of values with their paths, those that an earlier one has. Absent values may be repeated. */
export function repeated(values: readonly (readonly [value: unknown, path: string])[]): FieldProblem[] {
  const seen = new Set<unknown>();
  return values.flatMap(([value, path]) => {
    if (isAbsent(value)) return [];
    if (seen.has(value)) return [duplicate(path, value)];
    seen.add(value);
    return [];
  });
}

/** At most, or exactly, one of these fields is set. */
export const single =
  (names: readonly string[], { isRequired, what }: { readonly isRequired: boolean; readonly what: string }): Check =>
  (value, path) => {
    const set = names.filter((name) => fieldsOf(value)[name] !== undefined && fieldsOf(value)[name] !== null);
    if (set.length === 0) return isRequired ? [required(path, `must specify ${what}: ${names.join(', ')}`)] : [];
    return set
      .slice(1)
      .map((name) => ({ path: `${path}.${name}`, message: `Forbidden: ${what} is already set by ${set[0]}` }));
  };
