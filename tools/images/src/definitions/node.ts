import { arch } from 'node:os';
import { join } from 'node:path';

import type { ImageDefinition } from '../image-definition.ts';
import { base } from './base.ts';

/**
 * Node.js for Linux from the npm registry, of the release with which this repository is tested. Not the copy that the package `node`
 * installs for itself: a later `npm install` removes all of it except the program.
 */
const distribution = join(import.meta.dirname, '../../../../node_modules', `node-linux-${arch()}`);

export const node: ImageDefinition = {
  name: 'node',
  version: '24',
  parent: base,
  layer: {
    kind: 'files',
    files: {
      '/usr/local/bin/node': join(distribution, 'bin', 'node'),
      '/usr/share/doc/nodejs/copyright': join(distribution, 'LICENSE'),
    },
  },
  defaults: { command: ['node'] },
};
