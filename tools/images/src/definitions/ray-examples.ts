import { fileURLToPath } from 'node:url';

import type { ImageDefinition } from '../image-definition.ts';
import { ray } from './ray.ts';

const PROGRAMS = ['train.py', 'fruit_stand.py', 'calculator.py'];

function program(name: string): [string, string] {
  return [`/opt/muster/examples/${name}`, fileURLToPath(new URL(`../../../../examples/ray/${name}`, import.meta.url))];
}

/** The programs of `examples/ray` on top of Ray: editing one rebuilds a few kilobytes. Ray Serve imports its applications by name. */
export const rayExamples: ImageDefinition = {
  name: 'ray-examples',
  version: ray.version,
  parent: ray,
  layer: { kind: 'files', files: Object.fromEntries(PROGRAMS.map(program)) },
  defaults: { workingDir: '/opt/muster/examples', env: { PYTHONPATH: '/opt/muster/examples' } },
};
