/**
 * `npm run images -- operator FRAMEWORK…`: images of operators, as files to push. By hand also `build IMAGE…` and
 * `import SOCKET IMAGE…`, for trying a definition out.
 */
import { readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { bundle } from '@muster/bundle';
import { terminalProgress } from '@muster/cluster';

import { buildImage } from './build-image.ts';
import { buildOperatorArchive, type OperatorArchive } from './build-operator-archive.ts';
import { findImage, IMAGES } from './images.ts';
import { importImages } from './import-images.ts';
import { sizeText } from './size-text.ts';

const WORKSPACE = fileURLToPath(new URL('../../..', import.meta.url));

const USAGE = `usage: npm run images -- operator FRAMEWORK… [--base IMAGE]   an operator's image as a file in dist/images
       npm run images -- build IMAGE…                         into the cache of this machine
       npm run images -- import CONTAINERD-SOCKET IMAGE…      into a node
IMAGE is one of ${Object.keys(IMAGES).join(', ')}; with --base any that has Node.js 24.`;

const progress = terminalProgress();

async function main(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    options: { base: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
    allowPositionals: true,
  });
  if (values.help === true) return console.log(USAGE);
  const [verb, ...rest] = positionals;
  if (verb === 'operator' && rest.length > 0) {
    for (const framework of rest) console.log(nextStep(await operator(framework, values.base)));
  } else if (verb === 'build' && rest.length > 0) {
    for (const name of rest) console.log((await buildImage(findImage(name), { progress })).references.join('\n'));
  } else if (verb === 'import' && rest.length > 1) {
    const [containerdSocket = '', ...names] = rest;
    const images = await importImages(names.map(findImage), { containerdSocket, progress });
    for (const image of images) console.log(image.references.join('\n'));
  } else {
    throw new Error(USAGE);
  }
}

async function operator(framework: string, base: string | undefined): Promise<OperatorArchive> {
  await bundle(framework);
  const { version } = JSON.parse(await readFile(join(WORKSPACE, 'package.json'), 'utf8')) as { version: string };
  const archive = join(WORKSPACE, 'dist/images', `${framework}-operator-${version}.tar`);
  const own = base === undefined ? {} : { base };
  return buildOperatorArchive({ workspace: WORKSPACE, framework, version, archive, progress, ...own });
}

function nextStep({ file, reference, bytes }: OperatorArchive): string {
  const path = relative(process.cwd(), file);
  return `${path}: ${reference}, ${sizeText(bytes)}
push it to your registry, for instance with
  skopeo copy oci-archive:${path} docker://REGISTRY/${reference}
and install the chart with --set image.repository=REGISTRY/${reference.split(':')[0]}`;
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  progress.note(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
