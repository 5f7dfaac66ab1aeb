/** Runs the operator as a process: the entry point of its image. */
import { main } from './index.ts';

await main(process.argv.slice(2));
