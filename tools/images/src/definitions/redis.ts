import type { ImageDefinition } from '../image-definition.ts';
import { base } from './base.ts';

/** Debian's Redis server, for the fault-tolerant state of Ray's head. Listens on all addresses and writes nothing to disk. */
export const redis: ImageDefinition = {
  name: 'redis',
  version: '8',
  parent: base,
  layer: {
    kind: 'packages',
    packages: ['redis-server', 'redis-tools'],
    exclude: [],
    script: 'redis-server --version',
  },
  defaults: {
    command: ['redis-server', '--bind', '0.0.0.0', '--protected-mode', 'no', '--save', '', '--appendonly', 'no'],
    user: '65532:65532',
  },
};
