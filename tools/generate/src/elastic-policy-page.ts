/** Generates the page on the elastic policy of PyTorchJobs from the schema and the adapter's environment variables. */
import { ELASTIC_VARIABLES, type ElasticVariable } from '@muster/adapter-pytorch';
import { openApiSchemaOf, pytorchJobDefinition, type OpenApiSchema } from '@muster/job-api';

const HEAD = `<!-- Generated from libs/job-api and libs/adapters/pytorch by "npm run generate": change the code, not this page. -->

# Elastic policy of a PyTorchJob

How each field of \`spec.elasticPolicy\` configures torchrun, and which values the API server accepts. [pytorch.md](pytorch.md#elastic-jobs)
explains elastic jobs; [api/pytorchjob.md](api/pytorchjob.md#specelasticpolicy) has the type of every field. If the template sets one of these
variables, its value is kept, and the event \`SpecWarning\` is emitted once.`;

const TAIL = `\`PET_NNODES\` is \`<minReplicas>:<maxReplicas>\`, \`PET_RDZV_ENDPOINT\` is \`<rdzvHost>:<rdzvPort>\`. The API server also rejects
an elastic job without the role Worker, a number of workers outside the bounds while the job runs, and any change of the number after the job has
ended.`;

export function elasticPolicyPage(): string {
  const policy = openApiSchemaOf(pytorchJobDefinition).properties?.spec?.properties?.elasticPolicy ?? {};
  const ofPolicy = policy['x-kubernetes-validations'] ?? [];
  const rows = Object.entries<ElasticVariable>(ELASTIC_VARIABLES).map(([field, { variable, option, unset }]) => {
    const own = ofPolicy.flatMap(({ fieldPath, message = '' }) => (fieldPath === `.${field}` ? [message] : []));
    const accepted = [...acceptedBy(policy.properties?.[field] ?? {}), ...own];
    return [code(field), code(variable), code(option), unset, accepted.join('; ')];
  });
  const lines = [
    ['field', 'variable', 'option of torchrun', 'default', 'accepted values'],
    rows[0]?.map(() => '---') ?? [],
    ...rows,
  ];
  return `${HEAD}\n\n${lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n')}\n\n${TAIL}\n`;
}

function code(text: string | undefined): string {
  return text === undefined ? '' : '`' + text + '`';
}

/** Accepted values: by the type, limits and rules of the field, and of the fields in it. */
function acceptedBy(schema: OpenApiSchema, within = ''): string[] {
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
  const described = own.length === 0 || within === '' ? own : [`${code(within)}: ${own.join(', ')}`];
  const parts = Object.entries(properties).flatMap(([name, each]) => acceptedBy(each, name));
  return [...described, ...parts, ...(items === undefined ? [] : acceptedBy(items))];
}
