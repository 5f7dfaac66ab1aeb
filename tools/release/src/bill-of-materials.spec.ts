import { join } from 'node:path';
import { expect, it } from 'vitest';
import { billOfMaterials } from './bill-of-materials.ts';

const WORKSPACE = join(import.meta.dirname, '../../..');

it(
  'lists the bundled packages, and the Node.js of the image instead of the installed one',
  { timeout: 60_000 },
  async () => {
    const packages = [join(WORKSPACE, 'node_modules/zod')];
    const operator = { framework: 'mpi', version: '1.2.3', packages, nodeVersions: ['24.0.1'] };
    const { components } = (await billOfMaterials(WORKSPACE, operator)) as {
      components: { name: string; version: string }[];
    };
    expect(components.map(({ name, version }) => `${name} ${version}`)).toEqual([
      expect.stringMatching(/^zod [\d.]+$/),
      'node 24.0.1',
    ]);
  },
);
