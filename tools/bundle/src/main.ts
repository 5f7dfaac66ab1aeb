/** `npm run bundle -- [<framework>…|cli]`: bundles the named operators, or all of them, or packs the command line. */
import { bundle, frameworks, packCli } from './bundle.ts';

const USAGE = `usage: npm run bundle -- [FRAMEWORK…]   bundles the named operators, or all of them, into dist
       npm run bundle -- cli             packs the command line, for npm install --global
FRAMEWORK is one of ${(await frameworks()).join(', ')}.`;

const names = process.argv.slice(2);
try {
  if (names.includes('--help') || names.includes('-h')) {
    console.log(USAGE);
    process.exit();
  }
  for (const framework of names.length === 0 ? await frameworks() : names) {
    if (framework === 'cli') {
      const { file } = await packCli();
      console.log(`${file}\nTo install it, also on a machine without this clone:\n  npm install --global ${file}`);
      continue;
    }
    const { file, bytes } = await bundle(framework);
    console.log(`${file} (${(bytes / 1e6).toFixed(1)} MB)`);
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
