import { NODE_FLAGS } from '@muster/bundle';
import type { ImageDefinition } from '../image-definition.ts';
import { node } from './node.ts';

export interface OperatorBundle {
  /** The user's name of it: `tensorflow`, `pytorch-elastic`, `mpi`, `mxnet` or `ray`. */
  framework: string;
  version: string;
  /** A folder of this machine with the bundled operator: a `package.json` whose `main` starts it, and all its files except Node. */
  folder: string;
}

/**
 * One framework's operator: Node.js and the bundle, run by an unprivileged user. It writes no files, so its root file system may be
 * read-only. The Dockerfile at the root of the repository must match.
 */
export function operatorImage(bundle: OperatorBundle): ImageDefinition {
  const name = `${bundle.framework}-operator`;
  return {
    name,
    version: bundle.version,
    parent: node,
    layer: { kind: 'files', files: { '/opt/muster/operator': bundle.folder } },
    defaults: {
      labels: {
        'org.opencontainers.image.title': name,
        'org.opencontainers.image.description': `Muster's operator for training jobs: ${bundle.framework}`,
        'org.opencontainers.image.version': bundle.version,
        'org.opencontainers.image.licenses': 'Apache-2.0',
      },
      env: { NODE_ENV: 'production' },
      workingDir: '/opt/muster/operator',
      user: '65532:65532',
      entrypoint: ['node', ...NODE_FLAGS, '/opt/muster/operator'],
      command: [],
    },
  };
}
