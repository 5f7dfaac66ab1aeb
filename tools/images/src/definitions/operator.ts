import type { ImageDefinition } from '../image-definition.ts';
import { node } from './node.ts';

export interface OperatorBundle {
  /** As users write it: `tensorflow`, `pytorch-elastic`, `mpi`, `mxnet` or `ray`. */
  framework: string;
  version: string;
  /** Folder of this machine with the bundled operator: a `package.json` whose `main` starts it, and all it needs but Node. */
  folder: string;
}

/** One framework's operator: Node.js and the bundle, run as a user without rights. */
export function operatorImage(bundle: OperatorBundle): ImageDefinition {
  return {
    name: `${bundle.framework}-operator`,
    version: bundle.version,
    parent: node,
    layer: { kind: 'files', files: { '/opt/muster/operator': bundle.folder } },
    defaults: {
      env: { NODE_ENV: 'production' },
      entrypoint: ['node', '/opt/muster/operator'],
      command: [],
      workingDir: '/opt/muster/operator',
      user: '65532:65532',
    },
  };
}
