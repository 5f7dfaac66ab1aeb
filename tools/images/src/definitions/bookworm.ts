import type { ImageDefinition } from '../image-definition.ts';
import { base } from './base.ts';
import { minimalDebian } from './minimal-debian.ts';

/** Debian 12, for frameworks that do not support the Python of Debian 13. */
export const bookworm: ImageDefinition = {
  name: 'bookworm',
  version: '12',
  layer: minimalDebian('bookworm'),
  ...(base.defaults && { defaults: base.defaults }),
};
