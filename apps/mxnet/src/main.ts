/** The operator's process: the entrypoint of its image. */
import { main } from './index.ts';

await main(process.argv.slice(2));
