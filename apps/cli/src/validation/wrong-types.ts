/**
 * Values that the API server cannot decode, such as a number without quotes in an annotation. The types are those of client-node's
 * generated models.
 */
import * as kubernetes from '@kubernetes/client-node';
import type { FieldProblem } from '@muster/job-api';

interface Attribute {
  readonly baseName: string;
  /** `V1Container`, `Array<V1Container>`, `{ [key: string]: string; }` or `string`. */
  readonly type: string;
  readonly format: string;
}

/** Fields with quantities, which may be written as numbers. They are checked as quantities. */
const QUANTITIES = new Set([
  'limits',
  'requests',
  'overhead',
  'sizeLimit',
  'divisor',
  'capacity',
  'allocatedResources',
]);

/** The largest number of each format. */
const LARGEST: Readonly<Record<string, number>> = { int32: 2 ** 31 - 1, int64: Number.MAX_SAFE_INTEGER };

/** Of `value`, which should be of `type`, such as `V1PodSpec`. Null is no value. */
export function wrongTypes(type: string, value: unknown, path: string): FieldProblem[] {
  return ofAttribute({ type, format: '' }, value, path);
}

function ofAttribute({ type, format }: Omit<Attribute, 'baseName'>, value: unknown, path: string): FieldProblem[] {
  if (value === undefined || value === null) return [];
  const [, item] = /^Array<(.+)>$/.exec(type) ?? [];
  if (item !== undefined) {
    if (!Array.isArray(value)) return wrong(path, value, 'array');
    return value.flatMap((each, at) => ofAttribute({ type: item, format }, each, `${path}[${at}]`));
  }
  const [, content] = /^\{ \[key: string\]: (.+); \}$/.exec(type) ?? [];
  const attributes = attributesOf(type);
  if (content === undefined && attributes === undefined) return ofScalar(type, format, value, path);
  if (typeof value !== 'object' || Array.isArray(value)) return wrong(path, value, 'object');
  return Object.entries(value).flatMap(([name, each]) => {
    if (content !== undefined) return ofAttribute({ type: content, format }, each, `${path}[${name}]`);
    const attribute = attributes?.find(({ baseName }) => baseName === name);
    if (attribute === undefined) return [];
    const typed = QUANTITIES.has(name)
      ? { ...attribute, type: attribute.type.replace('string; }', 'any; }') }
      : attribute;
    return typed.type === 'string' && QUANTITIES.has(name) ? [] : ofAttribute(typed, each, `${path}.${name}`);
  });
}

function ofScalar(type: string, format: string, value: unknown, path: string): FieldProblem[] {
  switch (type) {
    case 'string':
    case 'boolean':
      return typeof value === type ? [] : wrong(path, value, type);
    case 'number':
      return isWhole(value, format) ? [] : wrong(path, value, 'integer');
    case 'IntOrString':
      return typeof value === 'string' || isWhole(value, 'int32') ? [] : wrong(path, value, 'integer or string');
    default:
      return [];
  }
}

function isWhole(value: unknown, format: string): boolean {
  if (typeof value !== 'number') return false;
  const largest = LARGEST[format];
  return largest === undefined || (Number.isInteger(value) && Math.abs(value) <= largest + 1);
}

function wrong(path: string, value: unknown, type: string): FieldProblem[] {
  const shown = typeof value === 'object' ? '' : `${JSON.stringify(value)}: `;
  return [{ path, message: `Invalid value: ${shown}must be of type ${type}` }];
}

function attributesOf(type: string): readonly Attribute[] | undefined {
  const model: unknown = Reflect.get(kubernetes, type);
  return isModel(model) ? model.getAttributeTypeMap() : undefined;
}

function isModel(value: unknown): value is { getAttributeTypeMap(): readonly Attribute[] } {
  return typeof value === 'function' && 'getAttributeTypeMap' in value;
}
