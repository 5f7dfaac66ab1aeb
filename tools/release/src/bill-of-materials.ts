import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { runCommand } from '@muster/cluster';
import * as z from 'zod';

const component = z.looseObject({ 'bom-ref': z.string(), name: z.string(), version: z.string() });
const document = z.looseObject({
  metadata: z.looseObject({ component: z.looseObject({}) }),
  components: z.array(component),
});
const manifest = z.object({ name: z.string(), version: z.string() });

export interface Operator {
  readonly framework: string;
  readonly version: string;
  /** The folders of the packages in its bundle. */
  readonly packages: readonly string[];
  /** The versions of Node.js in its images: one, unless images for two processors differ. */
  readonly nodeVersions: readonly string[];
}

/**
 * The contents of an operator's image as CycloneDX: npm's list of installed packages, limited to those in the bundle, and Node.js. Debian's
 * packages are not included: the image lists them itself. Throws if npm does not list a bundled package.
 */
export async function billOfMaterials(
  workspace: string,
  { framework, version, packages, nodeVersions }: Operator,
): Promise<object> {
  const args = ['sbom', '--sbom-format', 'cyclonedx'];
  const all = document.parse(JSON.parse((await runCommand('npm', args, { cwd: workspace })).stdout));
  const identities = await Promise.all(packages.map(identityOf));
  const bundled = new Set(identities);
  const components = all.components.filter((each) => bundled.has(`${each.name}@${each.version}`));
  const found = new Set(components.map((each) => `${each.name}@${each.version}`));
  const lost = identities.filter((identity) => !found.has(identity));
  if (lost.length > 0) throw new Error(`npm does not list ${lost.join(', ')}, which the operator's bundle contains`);
  const name = `${framework}-operator`;
  const { dependencies: _edges, ...rest } = all;
  return {
    ...rest,
    metadata: { ...all.metadata, component: { type: 'container', name, version, 'bom-ref': `${name}@${version}` } },
    components: [...components, ...nodeVersions.map(nodeJs)],
  };
}

function nodeJs(version: string): object {
  return { type: 'platform', name: 'node', version, 'bom-ref': `node@${version}`, purl: `pkg:generic/node@${version}` };
}

async function identityOf(folder: string): Promise<string> {
  const { name, version } = manifest.parse(JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')));
  return `${name}@${version}`;
}
