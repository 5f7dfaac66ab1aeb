/**
 * The fields of Kubernetes' own types, as client-node's generated models list them: what a job's schema keeps of pod templates
 * and metadata without describing it.
 */
import * as kubernetes from '@kubernetes/client-node';
import { unknownField, type FieldProblem } from '@muster/job-api';

interface Attribute {
  /** As it is written in manifests. */
  readonly baseName: string;
  /** `V1Container`, `Array<V1Container>` or `string`. */
  readonly type: string;
}

/** The type of what stands under these fields of a job. */
const TYPES: Readonly<Record<string, string>> = {
  metadata: 'V1ObjectMeta',
  template: 'V1PodTemplateSpec',
  metrics: 'V2MetricSpec',
};

/** The unknown fields in what a job has under `field`; none where that is no type of Kubernetes. */
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

/** Undefined of texts, numbers and maps, whose keys are anybody's. */
function attributesOf(type: string): readonly Attribute[] | undefined {
  const model: unknown = Reflect.get(kubernetes, type);
  return isModel(model) ? model.getAttributeTypeMap() : undefined;
}

function isModel(value: unknown): value is { getAttributeTypeMap(): readonly Attribute[] } {
  return typeof value === 'function' && 'getAttributeTypeMap' in value;
}
