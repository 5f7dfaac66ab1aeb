/** Writes what becomes of each field of a PyTorchJob's elastic policy, from the schema and the variables that the adapter sets. */
import { ELASTIC_VARIABLES, type ElasticVariable } from '@muster/adapter-pytorch';
import { openApiSchemaOf, pytorchJobDefinition, type OpenApiSchema } from '@muster/job-api';

const HEAD = `<!-- Generated from libs/job-api and libs/adapters/pytorch by "npm run generate": change the code, not this page. -->

# Elastic policy of a PyTorchJob

What each field of \`spec.elasticPolicy\` sets for torchrun, and which values the API server refuses. How elastic jobs behave:
[pytorch.md](pytorch.md#elastic-jobs); every field with its type: [api/pytorchjob.md](api/pytorchjob.md#specelasticpolicy). A variable that the
template sets itself is kept, and the event \`SpecWarning\` reports it once.`;

const TAIL = `\`PET_NNODES\` is \`<minReplicas>:<maxReplicas>\`, \`PET_RDZV_ENDPOINT\` is \`<rdzvHost>:<rdzvPort>\`. Also rejected: an elastic job without the
role Worker; while it runs, a number of workers outside the bounds; after its end, any change of the number.`;

export function elasticPolicyPage(): string {
  const policy = openApiSchemaOf(pytorchJobDefinition).properties?.spec?.properties?.elasticPolicy ?? {};
  const ofPolicy = policy['x-kubernetes-validations'] ?? [];
  const rows = Object.entries<ElasticVariable>(ELASTIC_VARIABLES).map(([field, { variable, option, unset }]) => {
    const own = ofPolicy.flatMap(({ fieldPath, message = '' }) => (fieldPath === `.${field}` ? [message] : []));
    const refused = [...refusedBy(policy.properties?.[field] ?? {}), ...own];
    return [code(field), code(variable), code(option), unset, refused.join('; ')];
  });
  const lines = [
    ['field', 'variable', 'torchrun option', 'default', 'rejected unless'],
    rows[0]?.map(() => '---') ?? [],
    ...rows,
  ];
  return `${HEAD}\n\n${lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n')}\n\n${TAIL}\n`;
}

function code(text: string | undefined): string {
  return text === undefined ? '' : '`' + text + '`';
}

/** The rules of a field: its type, limits and rules, and those of its items. */
function refusedBy(schema: OpenApiSchema, within = ''): string[] {
  const { type, minimum, maximum, maxItems, maxLength, enum: values, items, properties = {} } = schema;
  const own = [
    type === 'boolean' && 'true or false',
    type === 'integer' && 'a whole number',
    type === 'number' && 'a number',
    minimum !== undefined && maximum !== undefined && `${minimum} to ${maximum}`,
    maxItems !== undefined && `at most ${maxItems} items`,
    maxLength !== undefined && `at most ${maxLength} characters`,
    values !== undefined && `one of ${values.map(String).join(', ')}`,
    ...(schema['x-kubernetes-validations'] ?? []).map(
      ({ fieldPath = '', message = '' }) => `${fieldPath === '' ? 'it' : code(fieldPath.slice(1))} ${message}`,
    ),
  ].filter((each) => each !== false);
  const limits = own.length === 0 || within === '' ? own : [`${code(within)}: ${own.join(', ')}`];
  const parts = Object.entries(properties).flatMap(([name, each]) => refusedBy(each, name));
  return [...limits, ...parts, ...(items === undefined ? [] : refusedBy(items))];
}
