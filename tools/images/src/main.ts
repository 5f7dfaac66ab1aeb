/** By hand: `npx node tools/images/src/main.ts build IMAGE…` and `… import SOCKET IMAGE…`, for trying a definition out. */
import { buildImage } from './build-image.ts';
import { terminalProgress } from '@muster/cluster';
import { findImage, IMAGES } from './images.ts';
import { importImages } from './import-images.ts';

const progress = terminalProgress();
const [verb, ...rest] = process.argv.slice(2);

switch (verb) {
  case 'build':
    for (const name of rest) console.log((await buildImage(findImage(name), { progress })).references.join('\n'));
    break;
  case 'import': {
    const [containerdSocket = '', ...names] = rest;
    const images = await importImages(names.map(findImage), { containerdSocket, progress });
    for (const image of images) console.log(image.references.join('\n'));
    break;
  }
  default:
    progress.note(
      `usage: main.ts build IMAGE… | import CONTAINERD-SOCKET IMAGE…, IMAGE one of ${Object.keys(IMAGES).join(', ')}`,
    );
    process.exitCode = 2;
}
