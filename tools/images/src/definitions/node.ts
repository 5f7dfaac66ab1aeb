import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

import type { ImageDefinition } from '../image-definition.ts';
import { base } from './base.ts';

/** The Node.js that npm installed for this repository, so that operators run in the image on what they are tested on. */
const nodeBinary = join(dirname(createRequire(import.meta.url).resolve('node/package.json')), 'bin', 'node');

export const node: ImageDefinition = {
  name: 'node',
  version: '24',
  parent: base,
  layer: { kind: 'files', files: { '/usr/local/bin/node': nodeBinary } },
  defaults: { command: ['node'] },
};
