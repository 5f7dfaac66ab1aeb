import type { ImageDefinition } from '../image-definition.ts';
import { base } from './base.ts';
import { minimalDebian } from './minimal-debian.ts';

/** Debian 12, for frameworks that the Python of Debian 13 is too new for. */
export const bookworm: ImageDefinition = {
  name: 'bookworm',
  version: '12',
  layer: minimalDebian('bookworm'),
  ...(base.defaults && { defaults: base.defaults }),
};
