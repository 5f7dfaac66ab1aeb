/** The paddle operator: the engine and the common operator process, for PaddleJobs. */
import { bootstrap } from '@muster/operator-host';
import { AppModule } from './app.module.ts';

/** Runs the operator until a signal ends the process; `argv` are the arguments after the program's name. */
export function main(argv: readonly string[]): Promise<void> {
  return bootstrap({ framework: 'paddle', flags: {}, module: AppModule }, argv);
}
