import type { ImageDefinition } from '../image-definition.ts';
import { minimalDebian } from './minimal-debian.ts';

/** Debian 13, the base of all images that support it. */
export const base: ImageDefinition = {
  name: 'base',
  version: 'trixie',
  layer: minimalDebian('trixie'),
  defaults: {
    env: { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', LANG: 'C.UTF-8' },
    command: ['/bin/bash'],
  },
};
