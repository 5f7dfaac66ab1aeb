/** Adds a framework's lines to existing files. */
import type { Tree } from '@nx/devkit';
import type { FrameworkNames } from './framework-names.ts';
import type { FrameworkImage } from './framework-image.ts';
import { insert, type Insertion } from './insertion.ts';
import { inPages } from './register-in-pages.ts';

/** Throws if the place is not found because a file has changed. */
export function registerFramework(tree: Tree, framework: FrameworkNames, image: FrameworkImage | undefined): void {
  for (const insertion of insertions(framework, image)) insert(tree, insertion);
}

function insertions(framework: FrameworkNames, image: FrameworkImage | undefined): Insertion[] {
  return [
    ...inJobApi(framework),
    ...inCommandLine(framework),
    ...inCharts(framework),
    ...inDashboards(framework),
    ...inTests(framework),
    ...(image === undefined ? [] : inImages(framework, image)),
    ...inPages(framework, image),
  ];
}

/** The key of an object. */
const keyOf = (name: string) => (/^[a-z][a-z0-9]*$/.test(name) ? name : `'${name}'`);

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
      after: "  MXJob: 'mxjob-controller',\n",
      lines: `  ${kind}: '${singular}-controller',\n`,
    },
    {
      file: 'libs/job-api/src/job-annotations.ts',
      after: "'MXJob',",
      lines: ` '${kind}',`,
    },
    {
      file: crds,
      after: "import { tfJobDefinition } from './tf-job.ts';\n",
      lines: `import { ${camel}JobDefinition } from './${name}-job.ts';\n`,
    },
    { file: crds, after: "| 'mxnet'", lines: ` | '${name}'` },
    { file: crds, after: '  mxnet: [mxJobDefinition],\n', lines: `  ${keyOf(name)}: [${camel}JobDefinition],\n` },
    {
      file: admission,
      after: "import { TF_ADMISSION } from '../test/tf-job-cases.ts';\n",
      lines: `import { ${constant}_ADMISSION } from '../test/${name}-job-cases.ts';\n`,
    },
    { file: admission, after: '    MX_ADMISSION,\n', lines: `    ${constant}_ADMISSION,\n` },
  ];
}

function inCommandLine({ name, camel, isScalable }: FrameworkNames): Insertion[] {
  const file = 'apps/cli/src/kinds.ts';
  return [
    {
      file,
      after: "import { tfAdapter } from '@muster/adapter-tensorflow';\n",
      lines: `import { ${camel}Adapter } from '@muster/adapter-${name}';\n`,
    },
    { file, importsFrom: '@muster/job-api', lines: `${camel}JobDefinition` },
    {
      file,
      after: '  { definition: mxJobDefinition, adapter: () => mxAdapter() },\n',
      lines: isScalable
        ? `  {
    definition: ${camel}JobDefinition,
    adapter: () => ${camel}Adapter(),
    fixedSize: () => 'WORLD_SIZE of its pods is fixed',
  },\n`
        : `  { definition: ${camel}JobDefinition, adapter: () => ${camel}Adapter() },\n`,
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
      after: "  mxnet: { title: 'MXNet', adapters: [mxAdapter()], plugin: mxnetPlugin, egress: TO_JOB_PODS },\n",
      lines: `  ${keyOf(name)}: { title: '${title}', adapters: [${camel}Adapter()], egress: TO_JOB_PODS },\n`,
    },
    {
      file: 'tools/verify/src/unused-rights.ts',
      after: "  mxnet: ofKinds('mxnet'),\n",
      lines: `  ${keyOf(name)}: ofKinds('${name}'),\n`,
    },
  ];
}

/** The job of that kind in the pictures of dashboards. */
function inDashboards({ name, field, constant, master }: FrameworkNames): Insertion[] {
  const file = 'tools/dashboards/src/pictures/picture-kinds.ts';
  const roles =
    master === 'none'
      ? `{ Worker: workers(shape, '${name}') }`
      : `{
        Master: { ...workers(shape, '${name}'), replicas: 1 },
        Worker: { ...STEADY, replicas: shape.workers, template: template(shape, '${name}') },
      }`;
  return [
    { file, importsFrom: '@muster/job-api', lines: `${constant}_JOBS` },
    {
      file,
      before: '};\n\nexport function pictureJob',
      lines: `  ${keyOf(name)}: {
    resource: ${constant}_JOBS,
    spec: (shape) => ({ runPolicy: runPolicy(shape), ${field}: ${roles} }),
  },\n`,
    },
  ];
}

/** Tests that go through all kinds. */
function inTests(framework: FrameworkNames): Insertion[] {
  return [
    ...inPodTemplates(framework),
    ...inDefaults(framework),
    ...inBundles(framework),
    ...inBenchmarks(framework),
    ...inSpecs(framework),
    ...(framework.isUpstream ? [...inTakeover(framework), ...inQueues(framework)] : []),
  ];
}

/** Manifests that tests generate. */
function inSpecs({ name, field, roles }: FrameworkNames): Insertion[] {
  const usual = roles.map((role) => `'${role}'`).join(', ');
  return [
    {
      file: 'apps/cli/test-support/specs/hints.ts',
      before: '};\n\n/** Roles of which a job has one pod. */',
      lines: `  ${field}: { usual: [${usual}], container: '${name}' },\n`,
    },
  ];
}

/** Running jobs of Kubeflow's operator. */
function inTakeover({ name, field, constant, roles, leadingRole }: FrameworkNames): Insertion[] {
  const file = 'apps/cli/test-support/moved-kinds.ts';
  const counts = roles.length === 1 ? '{ Worker: 3 }' : 'withMaster';
  return [
    { file, importsFrom: '@muster/job-api', lines: `${constant}_JOBS` },
    {
      file,
      before: "  {\n    ...{ operator: 'training-operator', framework: 'mpi'",
      lines: `  trained(
    '${name}',
    ${constant}_JOBS,
    { field: '${field}', container: '${name}', roles: ${counts} },
    /-${leadingRole.toLowerCase()}-/,
  ),\n`,
    },
  ];
}

/** Jobs in queues of Kueue. */
function inQueues({ name, singular, field, constant, roles }: FrameworkNames): Insertion[] {
  const file = 'apps/cli/test-support/queued-kinds.ts';
  const specs =
    roles.length === 1 ? `Worker: role('${name}', 2)` : roles.map((each) => `${each}: role('${name}')`).join(', ');
  return [
    { file, importsFrom: '@muster/job-api', lines: `${constant}_JOBS` },
    { file, after: "  'kubeflow.org/tfjob',\n", lines: `  'kubeflow.org/${singular}',\n` },
    {
      file,
      before: "    {\n      name: 'mpi',\n",
      lines: `    {
      name: '${name}',
      resource: ${constant}_JOBS,
      spec: { ${field}: { ${specs} } },
      ends: /./,
    },\n`,
    },
  ];
}

function inPodTemplates({ name, kind, field, camel, roles }: FrameworkNames): Insertion[] {
  const file = 'apps/cli/src/pod-templates.property.spec.ts';
  return [
    {
      file,
      after: "import { tfAdapter } from '@muster/adapter-tensorflow';\n",
      lines: `import { ${camel}Adapter } from '@muster/adapter-${name}';\n`,
    },
    {
      file,
      before: "  ...(['v2beta1', 'v1'] as const).map((version) => ({\n",
      lines: `  {
    named: '${kind}',
    kind: '${kind}',
    apiVersion: 'kubeflow.org/v1',
    adapter: ${camel}Adapter(),
    ...roles('${field}', '${name}', ${roles.map((role) => `'${role}'`).join(', ')}),
  },\n`,
    },
  ];
}

function inDefaults({ name, kind, field, constant, master, restartPolicy }: FrameworkNames): Insertion[] {
  const file = 'apps/cli/test-support/upstream-defaults.ts';
  const hasMaster = master !== 'none';
  return [
    {
      file,
      before: 'const MPI_ROLES = {\n',
      lines: `const ${constant}: KindDefaults = {
  manifest: job('${kind}', {
    ${field}: {
${hasMaster ? `      Master: { replicas: 1, template: containers('${name}') },\n` : ''}      Worker: { replicas: 2, template: containers('${name}') },
    },
  }),
  defaults: {
    ...runPolicy(${hasMaster ? 3 : 2}),
    '${field}[Worker].replicas': { same: 1 },
    '${field}[Worker].restartPolicy': { same: '${restartPolicy}' },
  },
};\n\n`,
    },
    { file, after: '  MXNET,\n', lines: `  ${constant},\n` },
  ];
}

function inBundles({ name, field, constant, roles }: FrameworkNames): Insertion[] {
  const file = 'tools/bundle/src/bundle.integration.spec.ts';
  const specs = roles.map((role) => `${role}: worker('${name}')`).join(', ');
  return [
    { file, importsFrom: '@muster/job-api', lines: `${constant}_JOBS` },
    {
      file,
      after: "  [MX_JOBS, { spec: { jobMode: 'MXTrain', mxReplicaSpecs: { Worker: worker('mxnet') } } }],\n",
      lines: `  [${constant}_JOBS, { spec: { ${field}: { ${specs} } } }],\n`,
    },
  ];
}

function inBenchmarks({ name, field, constant, master }: FrameworkNames): Insertion[] {
  const file = 'tools/bench/src/training-job.ts';
  const withMaster = `(pods) => [
      { name: 'Master', replicas: 1 },
      { name: 'Worker', replicas: pods - 1 },
    ]`;
  return [
    { file, importsFrom: '@muster/job-api', lines: `${constant}_JOBS` },
    {
      file,
      before: '  mxnet: measured({\n',
      lines: `  ${keyOf(name)}: measured({
    resource: ${constant}_JOBS,
    roles: '${field}',
    container: '${name}',
    rolesOf: ${master === 'none' ? 'workersOnly' : withMaster},
  }),\n`,
    },
  ];
}

function inImages({ name, camel }: FrameworkNames, { name: image }: FrameworkImage): Insertion[] {
  const images = 'tools/images/src/images.ts';
  const key = keyOf(image);
  return [
    {
      file: images,
      before: "import type { ImageDefinition } from './image-definition.ts';\n",
      lines:
        `import { ${camel}Examples } from './definitions/${name}-examples.ts';\n` +
        `import { ${camel} } from './definitions/${name}.ts';\n`,
    },
    {
      file: images,
      before: '} satisfies Record<string, ImageDefinition>;\n',
      lines: `  ${key === camel ? key : `${key}: ${camel}`},\n  '${image}-examples': ${camel}Examples,\n`,
    },
    {
      file: 'tools/demo/src/frameworks.ts',
      after: "import { tensorflow } from './frameworks/tensorflow.ts';\n",
      lines: `import { ${camel} } from './frameworks/${name}.ts';\n`,
    },
    {
      file: 'tools/demo/src/frameworks.ts',
      after: '  [xgboost.name]: xgboost,\n',
      lines: `  [${camel}.name]: ${camel},\n`,
    },
    { file: 'tools/demo/src/frameworks.spec.ts', after: "'xgboost',", lines: ` '${name}',` },
    {
      file: 'tools/install/src/install-operators.ts',
      after: "  mxnet: ['mxnet-examples'],\n",
      lines: `  ${keyOf(name)}: ['${image}-examples'],\n`,
    },
  ];
}
