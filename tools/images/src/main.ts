/**
 * `npm run images -- operator FRAMEWORK…`: images of operators, as files to push. `build IMAGE…` and `import SOCKET IMAGE…` are for trying
 * a definition out; `requirements PACKAGE…` prints the Python packages of a new one.
 */
import { readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { bundle } from '@muster/bundle';
import { ClusterError, listClusters, terminalProgress } from '@muster/cluster';

import { buildImage } from './build-image.ts';
import { buildOperatorArchive } from './build-operator-archive.ts';
import { LOCAL_REGISTRY } from './image-definition.ts';
import { findImage, IMAGES } from './images.ts';
import { importImages } from './import-images.ts';
import { IMAGE_PYTHON, resolveRequirements } from './requirements-file.ts';
import { checkedRegistry, operatorFileSteps } from './operator-file-steps.ts';
import { sizeText } from './size-text.ts';

const WORKSPACE = fileURLToPath(new URL('../../..', import.meta.url));

const USAGE = `usage: npm run images -- operator FRAMEWORK… [--registry REGISTRY] [--base IMAGE]
                                                           builds an operator's image, as a file in dist/images
       npm run images -- build IMAGE…                      builds images into the cache of this machine
       npm run images -- import CONTAINERD-SOCKET IMAGE…   imports images into a node
       npm run images -- requirements PACKAGE… [--python VERSION]
                                                           prints a requirements file of these packages of PyPI
  --registry  prefix of the image's name, such as registry.example.com/team; default: ${LOCAL_REGISTRY}, for images that are imported into nodes
  --python    default: ${IMAGE_PYTHON}, that of images based on Debian 13
IMAGE is one of ${Object.keys(IMAGES).join(', ')}; with --base, any image that has Node.js 24.`;

const progress = terminalProgress();

async function main(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    options: {
      base: { type: 'string' },
      registry: { type: 'string' },
      python: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
    allowPositionals: true,
  });
  if (values.help === true) return console.log(USAGE);
  const [verb, ...rest] = positionals;
  if (verb === 'operator' && rest.length > 0) {
    for (const framework of rest) await operator(framework, values);
  } else if (verb === 'build' && rest.length > 0) {
    for (const name of rest) console.log((await buildImage(findImage(name), { progress })).references.join('\n'));
  } else if (verb === 'requirements' && rest.length > 0) {
    process.stdout.write(await resolveRequirements(rest, values.python));
  } else if (verb === 'import' && rest.length > 1) {
    const [containerdSocket = '', ...names] = rest;
    const images = await importImages(names.map(findImage), { containerdSocket, progress });
    for (const image of images) console.log(image.references.join('\n'));
  } else {
    throw new Error(USAGE);
  }
}

async function operator(framework: string, given: { base?: string; registry?: string }): Promise<void> {
  const named = given.registry === undefined ? {} : { registry: checkedRegistry(given.registry) };
  await bundle(framework);
  const { version } = JSON.parse(await readFile(join(WORKSPACE, 'package.json'), 'utf8')) as { version: string };
  const archive = join(WORKSPACE, 'dist/images', `${framework}-operator-${version}.tar`);
  const onBase = given.base === undefined ? {} : { base: given.base };
  const what = { workspace: WORKSPACE, framework, version, ...named };
  const { file, reference, bytes } = await buildOperatorArchive({ ...what, archive, progress, ...onBase });
  const path = relative(process.cwd(), file);
  const sockets = given.registry === undefined ? await socketsOfLocalNodes() : [];
  console.log(`${path}: ${reference}, ${sizeText(bytes)}\n${operatorFileSteps({ ...what, path, sockets })}`);
}

async function socketsOfLocalNodes(): Promise<string[]> {
  try {
    const clusters = await listClusters();
    const nodes = clusters.flatMap(({ state, cluster }) => (state === 'running' ? (cluster?.realNodes ?? []) : []));
    return nodes.map(({ containerdSocket }) => containerdSocket);
  } catch (error) {
    // The state of another user's cluster cannot be read. That must not fail a finished build.
    if (error instanceof ClusterError) return [];
    throw error;
  }
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  progress.note(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
