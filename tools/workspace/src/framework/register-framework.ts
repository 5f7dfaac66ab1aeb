/** Adds a framework's lines to existing files. */
import type { Tree } from '@nx/devkit';
import type { FrameworkNames } from './framework-names.ts';

interface Insertion {
  readonly file: string;
  /** A text that the file contains once; the new lines go after or before it. */
  readonly after?: string;
  readonly before?: string;
  readonly lines: string;
}

/** Throws if the place is not found because a file has changed. */
export function registerFramework(tree: Tree, framework: FrameworkNames): void {
  for (const insertion of insertions(framework)) insert(tree, insertion);
}

function insertions(framework: FrameworkNames): Insertion[] {
  return [
    ...inJobApi(framework),
    ...inCommandLine(framework),
    ...inCharts(framework),
    ...inDashboards(framework),
    inReadme(framework),
  ];
}

function inJobApi({ name, kind, singular, camel, constant }: FrameworkNames): Insertion[] {
  const crds = 'libs/job-api/src/crd-yaml.ts';
  const admission = 'libs/job-api/src/problems-of.spec.ts';
  return [
    {
      file: 'libs/job-api/src/index.ts',
      before: "export * from './unknown-fields.ts';\n",
      lines: `export * from './${name}-job.ts';\n`,
    },
    {
      file: 'libs/job-api/src/labels.ts',
      after: 'export const OPERATOR_NAMES = {\n',
      lines: `  ${kind}: '${singular}-controller',\n`,
    },
    {
      file: crds,
      after: "import { tfJobDefinition } from './tf-job.ts';\n",
      lines: `import { ${camel}JobDefinition } from './${name}-job.ts';\n`,
    },
    { file: crds, after: 'export type FrameworkName =', lines: ` '${name}' |` },
    { file: crds, before: '};\n\nexport function isFrameworkName', lines: `  '${name}': [${camel}JobDefinition],\n` },
    {
      file: admission,
      after: "import { TF_ADMISSION } from '../test/tf-job-cases.ts';\n",
      lines: `import { ${constant}_ADMISSION } from '../test/${name}-job-cases.ts';\n`,
    },
    { file: admission, after: '    PYTORCH_ADMISSION,\n', lines: `    ${constant}_ADMISSION,\n` },
  ];
}

function inCommandLine({ name, camel }: FrameworkNames): Insertion[] {
  const file = 'apps/cli/src/kinds.ts';
  return [
    {
      file,
      after: "import { tfAdapter } from '@muster/adapter-tensorflow';\n",
      lines: `import { ${camel}Adapter } from '@muster/adapter-${name}';\n`,
    },
    { file, after: '  tfJobDefinition,\n', lines: `  ${camel}JobDefinition,\n` },
    {
      file,
      after: 'export const KINDS: readonly Kind[] = [\n',
      lines: `  { definition: ${camel}JobDefinition, adapter: () => ${camel}Adapter() },\n`,
    },
  ];
}

function inCharts({ name, title, camel }: FrameworkNames): Insertion[] {
  const file = 'tools/charts/src/framework-charts.ts';
  return [
    {
      file,
      after: "import { tensorflowPlugin, tfAdapter } from '@muster/adapter-tensorflow';\n",
      lines: `import { ${camel}Adapter } from '@muster/adapter-${name}';\n`,
    },
    {
      file,
      after: 'FRAMEWORK_CHARTS: Readonly<Record<FrameworkName, FrameworkChart>> = {\n',
      lines: `  '${name}': { title: '${title}', adapters: [${camel}Adapter()] },\n`,
    },
  ];
}

/** The job of that kind in the pictures of dashboards, which its master ends. */
function inDashboards({ name, field, constant }: FrameworkNames): Insertion[] {
  const file = 'tools/dashboards/src/pictures/picture-kinds.ts';
  return [
    { file, before: '  type FrameworkName,\n', lines: `  ${constant}_JOBS,\n` },
    {
      file,
      before: '};\n\nexport function pictureJob',
      lines: `  '${name}': {
    resource: ${constant}_JOBS,
    spec: (shape) => ({
      runPolicy: runPolicy(shape),
      ${field}: {
        Master: { ...workers(shape, '${name}'), replicas: 1 },
        Worker: { ...STEADY, replicas: shape.workers, template: template(shape, '${name}') },
      },
    }),
  },\n`,
    },
  ];
}

function inReadme({ name, kind }: FrameworkNames): Insertion {
  const what = `\`kubeflow.org/v1\` ${kind}: a Master, which decides the outcome, and Workers`;
  const gets = '`MASTER_ADDR`, `MASTER_PORT`, `WORLD_SIZE`, `RANK`, `WORKER_ADDRS`, `WORKER_PORT`';
  return { file: 'README.md', before: '| `mpi` ', lines: `| \`${name}\` | ${what} | ${gets} |\n` };
}

function insert(tree: Tree, { file, after, before, lines }: Insertion): void {
  const place = after ?? before ?? '';
  const text = tree.read(file, 'utf-8') ?? '';
  if (text.split(place).length !== 2)
    throw new Error(`${file} must contain this exactly once: ${JSON.stringify(place)}`);
  tree.write(
    file,
    text.replace(place, () => (after === undefined ? lines + place : place + lines)),
  );
}
