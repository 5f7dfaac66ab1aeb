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
  /** Folders of the packages that its bundle holds. */
  readonly packages: readonly string[];
  /** Of the Node.js in its images: one, unless images for two processors differ. */
  readonly nodeVersions: readonly string[];
}

/**
 * What an operator's image holds beside Debian's packages, which name themselves in it, as CycloneDX: npm's list of what is
 * installed, cut down to what is in the bundle, and Node.js. Throws if something bundled is not in that list.
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
  if (lost.length > 0) throw new Error(`npm does not list ${lost.join(', ')}, which the operator's bundle holds`);
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
