/** Generates the reference page of a kind from its schema, so that the page matches what the API server enforces. */
import {
  ANNOTATION_MEANINGS,
  ANNOTATIONS,
  CONDITION_MEANINGS,
  LABEL_MEANINGS,
  LABELS,
  openApiSchemaOf,
  reasonOf,
  REASON_SUFFIXES,
  REASONS,
  type KindDefinition,
  type KindVocabulary,
  type OpenApiSchema,
  type ReasonSuffix,
  versionsOf,
} from '@muster/job-api';
import { eventReasonsOf, otherKindsOf } from './event-reasons.ts';
import { adapterOf } from './kind-adapters.ts';

/** One object of the API: its fields become one table. */
interface Section {
  readonly path: string;
  readonly schema: OpenApiSchema;
}

/** The page of `definition`'s kind, in Markdown. */
export function referencePage(definition: KindDefinition): string {
  const { resource, singular, shortNames, vocabulary } = definition;
  const schema = openApiSchemaOf(definition);
  const sections = new Sections(schema);
  const parts = [
    '<!-- Generated from libs/job-api by "npm run generate": change the schema, not this page. -->',
    `# ${resource.kind}`,
    `${schema.description ?? ''} API ${apiVersionsOf(definition)}. Names in kubectl: \`${resource.plural}\`, ` +
      `${[singular, ...shortNames].map((name) => `\`${name}\``).join(', ')}; categories: \`all\` and \`mljobs\`.`,
    'A field is optional unless its description starts with **Required**. `[role]` is the name of a ' +
      'role, `[]` for each item of a list. Fields that are not listed are dropped, except in pod templates, ' +
      'where they are kept as written.',
    ...versionsPart(definition),
    ...sections.all.map((section) => sections.render(section)),
    rulesPart(schema),
    columnsPart(definition),
    ...(vocabulary === undefined
      ? [conditionsPart(resource.kind), eventsPart('Of further events:', definition), namesPart()]
      : wordsParts(definition, vocabulary)),
  ];
  return `${parts.join('\n\n')}\n`;
}

function apiVersionsOf(definition: KindDefinition): string {
  return versionsOf(definition)
    .map(({ name }) => `\`${definition.resource.group}/${name}\``)
    .join(', ');
}

/** A note for kinds that have several versions. */
function versionsPart(definition: KindDefinition): string[] {
  const { resource, versions } = definition;
  if (versions === undefined) return [];
  return [
    'Every version has all of these fields and shows every job, whichever version it was created in. Jobs are stored as ' +
      `\`${resource.version}\`. A default that is the name of a version is the version that the job is created in. Before ` +
      'you replace this CRD by one that lacks some of the versions: delete all jobs of those versions, write all other jobs ' +
      'again in a version that the new CRD has, and reduce `status.storedVersions` of this CRD to the remaining versions.',
  ];
}

class Sections {
  readonly all: Section[] = [];
  /** First section of each shape: later sections of the same shape link to it. */
  readonly #firsts = new Map<string, Section>();

  constructor(root: OpenApiSchema) {
    for (const [field, schema] of Object.entries(root.properties ?? {})) this.#collect(field, schema);
  }

  #collect(path: string, schema: OpenApiSchema): void {
    // Muster's internal record is not for readers.
    if (path === 'status.muster') return;
    const object = objectWithin(path, schema);
    if (object === undefined) return;
    const shape = JSON.stringify(object.schema.properties);
    if (this.#firsts.has(shape)) return;
    this.#firsts.set(shape, object);
    this.all.push(object);
    for (const [field, property] of Object.entries(object.schema.properties ?? {})) {
      this.#collect(`${object.path}.${field}`, property);
    }
  }

  render({ path, schema }: Section): string {
    const rows = Object.entries(schema.properties ?? {}).map(([field, property]) => {
      const isRequired = schema.required?.includes(field) ?? false;
      const text = [isRequired && '**Required.**', property.description, ...limits(property)].filter(Boolean).join(' ');
      return [`\`${field}\``, this.#type(`${path}.${field}`, property), defaultOf(property), text];
    });
    const more = schema['x-kubernetes-preserve-unknown-fields']
      ? '\n\nAll other fields of Kubernetes are kept as written.'
      : '';
    return `## ${path}\n\n${table(['Field', 'Type', 'Default', 'Description'], rows)}${more}`;
  }

  #type(path: string, schema: OpenApiSchema): string {
    const object = objectWithin(path, schema);
    const section = object && this.#firsts.get(JSON.stringify(object.schema.properties));
    const name = typeName(schema);
    return section === undefined ? name : `[${name.replace(/[[\]]/g, '\\$&')}](#${anchor(section.path)})`;
  }
}

/** The object with described fields: `schema` itself, or the items of the list or map that it is. */
function objectWithin(path: string, schema: OpenApiSchema): Section | undefined {
  if (schema.properties !== undefined) return { path, schema };
  if (schema.items !== undefined) return objectWithin(`${path}[]`, schema.items);
  if (schema.additionalProperties !== undefined) return objectWithin(`${path}[role]`, schema.additionalProperties);
  return undefined;
}

function typeName(schema: OpenApiSchema): string {
  if (schema['x-kubernetes-int-or-string']) return 'quantity';
  if (schema.items !== undefined) return `list of ${typeName(schema.items)}`;
  if (schema.additionalProperties !== undefined) return `map of ${typeName(schema.additionalProperties)}`;
  if (schema.format === 'date-time') return 'time';
  return schema.type ?? 'any';
}

function defaultOf({ default: value }: OpenApiSchema): string {
  return value === undefined ? '' : `\`${JSON.stringify(value)}\``;
}

function limits({ minimum, maximum, maxItems, maxLength, enum: values }: OpenApiSchema): string[] {
  const known = values
    ?.filter((value) => value !== '')
    .map((value) => `\`${JSON.stringify(value).replaceAll('"', '')}\``);
  return [
    minimum !== undefined && maximum === undefined && `At least ${minimum}.`,
    minimum !== undefined && maximum !== undefined && `${minimum} to ${maximum}.`,
    maxItems !== undefined && `At most ${maxItems} items.`,
    maxLength !== undefined && `At most ${maxLength} characters.`,
    known !== undefined && `One of ${known.join(', ')}.`,
  ].filter((limit) => limit !== false);
}

function rulesPart(schema: OpenApiSchema): string {
  // The API server may have a rule twice: for new objects and for changes.
  const rows = [...new Map([...rulesOf('', schema)].map((row) => [row.join('\n'), row])).values()];
  return (
    '## Rules\n\nIn addition to types and limits, the API server enforces these rules; its error names the field. ' +
    'The operator and `muster plan` apply them too, except those about changes.\n\n' +
    table(['Field', 'Rule'], rows)
  );
}

function* rulesOf(path: string, schema: OpenApiSchema): Generator<string[]> {
  for (const { fieldPath = '', message = '' } of schema['x-kubernetes-validations'] ?? []) {
    const field = `${path}${fieldPath}`.replace(/^[.]/, '').replace(/(\w+ReplicaSpecs)[.](\w+)/, '$1[$2]');
    yield [`\`${field === '' ? 'metadata.name' : field}\``, message];
  }
  for (const [field, property] of Object.entries(schema.properties ?? {})) yield* rulesOf(`${path}.${field}`, property);
  if (schema.items !== undefined) yield* rulesOf(`${path}[]`, schema.items);
  if (schema.additionalProperties !== undefined) yield* rulesOf(`${path}[role]`, schema.additionalProperties);
}

function columnsPart({ printerColumns }: KindDefinition): string {
  const rows = printerColumns.map(({ name, jsonPath, description, wide }) => [
    `${name}${wide === true ? ' (wide)' : ''}`,
    `\`${jsonPath}\``,
    description,
  ]);
  return `## Columns of kubectl get\n\n${table(['Column', 'Path', 'Meaning'], rows)}`;
}

function conditionsPart(kind: string): string {
  const conditions = Object.entries(CONDITION_MEANINGS).map(([type, meaning]) => [`\`${type}\``, meaning]);
  const suffixes = Object.keys(REASON_SUFFIXES) as ReasonSuffix[];
  const reasons = [
    ...suffixes.map((suffix) => [`\`${reasonOf(kind, suffix)}\``, REASON_SUFFIXES[suffix]]),
    ...Object.entries(REASONS).map(([reason, when]) => [`\`${reason}\``, when]),
  ];
  return [
    `## Conditions\n\n${table(['Type', 'Status True means'], conditions)}`,
    `## Reasons\n\nOf conditions, and of their events:\n\n${table(['Reason', 'When'], reasons)}`,
  ].join('\n\n');
}

function eventsPart(head: string, definition: KindDefinition): string {
  const adapter = adapterOf(definition);
  const events = Object.entries(eventReasonsOf(definition, adapter)).map(([reason, when]) => [`\`${reason}\``, when]);
  const [kind = 'PodGroup', other = kind] = otherKindsOf(adapter);
  return [
    head,
    table(['Reason', 'When'], events),
    'For other objects of the job, the reason begins with `SuccessfulCreate`, `SuccessfulUpdate`, `SuccessfulDelete`, `FailedCreate`, ' +
      `\`FailedUpdate\` or \`FailedDelete\` and ends with their kind, such as \`SuccessfulCreate${kind}\` and \`FailedCreate${other}\`.`,
  ].join('\n\n');
}

function namesPart(): string {
  const labels = Object.entries(LABELS).map(([name, key]) => [
    `\`${key}\``,
    LABEL_MEANINGS[name as keyof typeof LABELS],
  ]);
  const annotations = Object.entries(ANNOTATIONS).map(([name, key]) => [
    `\`${key}\``,
    ANNOTATION_MEANINGS[name as keyof typeof ANNOTATIONS],
  ]);
  return [
    `## Labels of pods and Services\n\n${table(['Label', 'Value'], labels)}`,
    `## Annotations of jobs\n\n${table(['Annotation', 'Meaning'], annotations)}`,
    'If an annotation of a new job has an invalid value, the job is Failed with reason `InvalidSpec` until the ' +
      'value is corrected. On a job that has started, an invalid value is ignored, and so is an unknown ' +
      'annotation in `muster.dev/` on any job: the event `AnnotationIgnored` reports it.',
  ].join('\n\n');
}

function wordsParts(
  definition: KindDefinition,
  { conditions, reasons, labels, annotations }: KindVocabulary,
): string[] {
  const { kind } = definition.resource;
  const part = (title: string, head: readonly string[], vocabulary: Readonly<Record<string, string>>) => {
    const rows = Object.entries(vocabulary).map(([word, meaning]) => [`\`${word}\``, meaning]);
    return rows.length === 0 ? [] : [`## ${title}\n\n${table(head, rows)}`];
  };
  const page = `../status.md#${kind.toLowerCase()}`;
  const none = `## Conditions\n\nA ${kind} has no conditions. Its states, and how to wait for its end: [status.md](${page}).`;
  return [
    ...(Object.keys(conditions).length === 0 ? [none] : []),
    ...part('Conditions', ['Type', 'Status True means'], conditions),
    ...part('Reasons', ['Reason', 'When'], reasons),
    eventsPart('## Reasons of events', definition),
    ...part('Labels of pods', ['Label', 'Value'], labels),
    ...part(`Annotations of a ${kind}`, ['Annotation', 'Meaning'], annotations),
  ];
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

/** GitHub's anchor of a heading. */
function anchor(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^a-z0-9 -]/g, '')
    .replaceAll(' ', '-');
}
