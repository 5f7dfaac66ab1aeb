/** Manifests of a kind: from its schema, or by changes of its examples. */
import fc from 'fast-check';
import { edgeName, labels, mostly, rarely, fieldsOf, text } from './edge-values.ts';
import { isObject, type Json, type JsonObject } from './json.ts';
import { mutated, mutation, type Mutation } from './mutation.ts';
import { schemaArbitrary } from './schema-arbitrary.ts';
import type { SpecKind } from './spec-kind.ts';
import { volcanoParts } from './volcano-arbitrary.ts';

export const SOURCES = ['generated', 'mutated'] as const;

export type Source = (typeof SOURCES)[number];

const NAMESPACE = 'specs';

const annotationKey = mostly(
  fc.constantFrom(
    'note',
    'scheduling.volcano.sh/queue-name',
    'muster.dev/service-mode',
    'muster.dev/gang-scheduler',
    'muster.dev/sidecar-grace-seconds',
    'muster.dev/scale-down-pods',
    'muster.dev/gang-topology',
  ),
  fc.constantFrom(
    '',
    'a/b/c',
    'Upper.com/x',
    'muster.dev/unknown',
    'muster.dev/status',
    'ray.io/ft-enabled',
    'ray.io/overwrite-container-cmd',
  ),
);

const annotationValue = mostly(fc.constantFrom('PerJob', 'PerReplica', 'volcano', 'none', '60', 'true'), text, 6);

const metadata = fieldsOf({
  name: mostly<Json>(fc.constantFrom('mnist', 'a', 'train-1', 'm'.repeat(40)), edgeName, 15),
  labels: rarely(labels, 2),
  annotations: rarely(fc.dictionary(annotationKey, annotationValue, { maxKeys: 2 }), 3),
  finalizers: rarely(fc.constantFrom<Json[]>(['example.com/keep'], ['bad'], []), 40),
});

export function manifestArbitrary(kind: SpecKind, source: Source): fc.Arbitrary<JsonObject> {
  return source === 'generated' ? generated(kind) : mutatedExample(kind);
}

function generated(kind: SpecKind): fc.Arbitrary<JsonObject> {
  const { schema, apiVersion, kind: name, framework } = kind;
  const ofSchema = schemaArbitrary(schema.properties?.spec ?? {}, { field: 'spec', kind: kind.name });
  const spec = framework === undefined ? ofSchema : ofVolcano(kind, framework, ofSchema);
  const mistakes = mostly<readonly Mutation[]>(fc.constant([]), fc.array(mutation, { minLength: 1, maxLength: 2 }), 4);
  return fc
    .tuple(metadata, spec, mistakes)
    .map(([meta, whole, slips]) =>
      inNamespace({ apiVersion, kind: name, ...fieldsOfObject(mutated({ metadata: meta, spec: whole }, slips)) }),
    );
}

function ofVolcano({ schema, name }: SpecKind, framework: string, ofSchema: fc.Arbitrary<Json>): fc.Arbitrary<Json> {
  const task = schemaArbitrary(schema.properties?.spec?.properties?.tasks?.items ?? {}, {
    field: 'tasks[]',
    kind: name,
  });
  return fc
    .tuple(ofSchema, volcanoParts(framework, task))
    .map(([whole, parts]) => ({ ...fieldsOfObject(whole), ...parts }));
}

function mutatedExample({ examples }: SpecKind): fc.Arbitrary<JsonObject> {
  return fc
    .tuple(fc.constantFrom(...examples), fc.array(mutation, { minLength: 1, maxLength: 4 }))
    .map(([example, slips]) => {
      const { apiVersion = '', kind = '', ...rest } = example;
      return inNamespace({ apiVersion, kind, ...fieldsOfObject(mutated(rest, slips)) });
    });
}

function fieldsOfObject(value: Json): JsonObject {
  return isObject(value) ? value : {};
}

/** A name or namespace that is no text is another kind of mistake, which the API server refuses for any object. */
function inNamespace(manifest: JsonObject): JsonObject {
  const { metadata: written, status: _status, ...rest } = manifest;
  const { name, ...others } = isObject(written ?? null) ? (written as JsonObject) : {};
  return { ...rest, metadata: { ...others, name: typeof name === 'string' ? name : 'mnist', namespace: NAMESPACE } };
}
