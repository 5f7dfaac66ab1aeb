/**
 * The fields of Kubernetes' types, from client-node's generated models. A job's schema keeps pod templates and metadata without
 * describing their fields.
 */
import * as kubernetes from '@kubernetes/client-node';
import { unknownField, type FieldProblem } from '@muster/job-api';

interface Attribute {
  /** The field's name in manifests. */
  readonly baseName: string;
  /** `V1Container`, `Array<V1Container>` or `string`. */
  readonly type: string;
}

/** The types of these fields of a job. */
const TYPES: Readonly<Record<string, string>> = {
  metadata: 'V1ObjectMeta',
  template: 'V1PodTemplateSpec',
  metrics: 'V2MetricSpec',
};

/** The unknown fields below `field` of a job; none if that is not a type of Kubernetes. */
export function unknownKubernetesFields(field: string, value: object, path: string): FieldProblem[] {
  const type = TYPES[field];
  return type === undefined ? [] : fieldsOfType(type, value, path);
}

function fieldsOfType(type: string, value: unknown, path: string): FieldProblem[] {
  if (typeof value !== 'object' || value === null) return [];
  const [, item] = /^Array<(\w+)>$/.exec(type) ?? [];
  if (item !== undefined) {
    return Object.entries(value).flatMap(([index, each]) => fieldsOfType(item, each, `${path}[${index}]`));
  }
  const attributes = attributesOf(type);
  if (attributes === undefined) return [];
  return Object.entries(value).flatMap(([name, content]) => {
    const at = `${path}.${name}`;
    const known = attributes.find(({ baseName }) => baseName === name);
    if (known !== undefined) return fieldsOfType(known.type, content, at);
    return [
      unknownField(
        at,
        name,
        attributes.map(({ baseName }) => baseName),
      ),
    ];
  });
}

/** Undefined for strings, numbers, and maps with arbitrary keys. */
function attributesOf(type: string): readonly Attribute[] | undefined {
  const model: unknown = Reflect.get(kubernetes, type);
  return isModel(model) ? model.getAttributeTypeMap() : undefined;
}

function isModel(value: unknown): value is { getAttributeTypeMap(): readonly Attribute[] } {
  return typeof value === 'function' && 'getAttributeTypeMap' in value;
}
