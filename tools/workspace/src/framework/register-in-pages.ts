/** A framework's lines in the documentation: a row of each table of frameworks, and its kind in each list of kinds. */
import type { FrameworkImage } from './framework-image.ts';
import type { FrameworkNames } from './framework-names.ts';
import type { Insertion } from './insertion.ts';

export function inPages(framework: FrameworkNames, image: FrameworkImage | undefined): Insertion[] {
  return [
    ...inReadmes(framework),
    ...inListsOfKinds(framework),
    ...inTables(framework),
    ...(image === undefined ? [] : inListOfImages(framework, image)),
    inChangelog(framework),
  ];
}

const what = ({ master }: FrameworkNames) =>
  ({
    required: 'a Master, which decides the outcome, and Workers',
    optional: 'a Master and Workers, or Workers alone',
    none: 'Workers',
  })[master];

function inReadmes(framework: FrameworkNames): Insertion[] {
  const { name, kind, title, singular } = framework;
  const index = 'docs/README.md';
  return [
    { file: 'README.md', after: 'unchanged: PyTorchJob, TFJob', lines: `, ${kind}` },
    {
      file: 'README.md',
      beforeRow: '`mpi`',
      lines:
        `| \`${name}\` | \`kubeflow.org/v1\` ${kind}: ${what(framework)} | ` +
        `\`MASTER_ADDR\`, \`MASTER_PORT\`, \`WORLD_SIZE\`, \`RANK\`; [by role](docs/users/${name}.md) |\n`,
    },
    { file: index, after: '[MXJob](users/api/mxjob.md)', lines: `, [${kind}](users/api/${singular}.md)` },
    { file: index, after: '[MXNet](users/mxnet.md)', lines: `, [${title}](users/${name}.md)` },
    {
      file: index,
      after: '[MXNet](../examples/mxnet/README.md)',
      lines: `, [${title}](../examples/${name}/README.md)`,
    },
    {
      file: 'examples/README.md',
      beforeRow: '[ray](ray/README.md)',
      lines: `| [${name}](${name}/README.md) | ${kind} | \`train.yaml\` | |\n`,
    },
  ];
}

function inListsOfKinds({ name, kind, title, singular, isScalable }: FrameworkNames): Insertion[] {
  const users = 'docs/users';
  const administrators = 'docs/administrators';
  return [
    { file: `${users}/concepts.md`, after: 'PyTorchJob, TFJob, MPIJob, MXJob', lines: `, ${kind}` },
    { file: `${users}/concepts.md`, after: '[MXNet](mxnet.md)', lines: `, [${title}](${name}.md)` },
    { file: `${users}/status.md`, after: 'PyTorchJob, TFJob,\nMXJob', lines: `, ${kind}` },
    { file: `${users}/status.md`, after: '# also TFJob, MXJob', lines: `, ${kind}` },
    {
      file: `${users}/status.md`,
      after: '[MXJob](api/mxjob.md#reasons)',
      lines: `, [${kind}](api/${singular}.md#reasons)`,
    },
    {
      file: `${users}/troubleshooting.md`,
      after: '[MXJob](api/mxjob.md#reasons)',
      lines: `, [${kind}](api/${singular}.md#reasons)`,
    },
    { file: `${users}/progress.md`, after: 'It works in PyTorchJob, TFJob, MXJob', lines: `, ${kind}` },
    { file: `${users}/start-order.md`, after: 'It works in PyTorchJob, TFJob, MXJob', lines: `, ${kind}` },
    { file: `${users}/run-policy.md`, after: 'a job of the kinds PyTorchJob, TFJob, MXJob', lines: `, ${kind}` },
    { file: `${users}/run-policy.md`, after: '| PyTorchJob, TFJob, MXJob', lines: `, ${kind}` },
    isScalable
      ? {
          file: `${administrators}/differences/gangs.md`,
          after: 'role `Worker` of PyTorchJob ([bounds](pytorchjob.md))',
          lines: `, ${kind}`,
        }
      : { file: `${users}/cli.md`, after: '(an MXJob', lines: `, ${kind}` },
    { file: `${administrators}/migration.md`, after: 'For PyTorchJob, TFJob', lines: `, ${kind}` },
    {
      file: `${administrators}/differences/admission.md`,
      after: '[MXJob](mxjob.md)',
      lines: `, [${kind}](${singular}.md)`,
    },
    {
      file: `${administrators}/compatibility.md`,
      after: "| Kubeflow's Python client `kubeflow-training`, PyTorchJob",
      lines: `, ${kind}`,
    },
    {
      file: `${administrators}/install.md`,
      after: '[mxnet](../../charts/mxnet/README.md)',
      lines: `, [${name}](../../charts/${name}/README.md)`,
    },
    { file: `${administrators}/multi-tenancy.md`, after: '| tensorflow, pytorch-elastic, mxnet', lines: `, ${name}` },
    {
      file: `${administrators}/differences/every-kind.md`,
      after: "the framework's port (PyTorchJob, TFJob, MXJob",
      lines: `, ${kind}`,
    },
    { file: 'docs/maintainers/replay.md', after: 'libs/adapters/{pytorch,tensorflow,mxnet', lines: `,${name}` },
  ];
}

function inTables(framework: FrameworkNames): Insertion[] {
  const { kind, singular, master } = framework;
  return [
    {
      file: 'docs/administrators/differences.md',
      beforeRow: '[RayCluster](differences/ray.md)',
      lines: `| [${kind}](differences/${singular}.md) | roles, changed sizes |\n`,
    },
    ...(master === 'none'
      ? []
      : [
          {
            file: 'docs/users/start-order.md',
            beforeRow: 'MXJob',
            lines: `| ${kind} | all at once |\n`,
          },
        ]),
  ];
}

function inListOfImages({ name, title }: FrameworkNames, image: FrameworkImage): Insertion[] {
  return [
    {
      file: 'docs/administrators/images.md',
      beforeRow: '`bookworm`',
      lines:
        `| \`${image.name}\` | \`muster.local/${image.name}:${image.version}\` | ${title} ${image.version} for CPUs, in Python 3.13 | |\n` +
        `| \`${image.name}-examples\` | \`${image.reference}\` | the program of \`examples/${name}\`, on top of \`${image.name}\` | 4 KiB |\n`,
    },
  ];
}

function inChangelog({ kind }: FrameworkNames): Insertion {
  return { file: 'CHANGELOG.md', after: '- Operators for PyTorchJob, TFJob, MXJob', lines: `, ${kind}` };
}
