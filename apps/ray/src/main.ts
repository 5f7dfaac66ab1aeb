/** The operator as a process of its own: what the image runs. */
import { main } from './index.ts';

await main(process.argv.slice(2));
