/** The tensorflow operator: TFJobs on the common engine and shell. */
import { bootstrap } from '@muster/operator-host';
import { AppModule } from './app.module.ts';

/** Runs the operator until a signal ends the process; `argv` is what follows the program's name. */
export function main(argv: readonly string[]): Promise<void> {
  return bootstrap({ framework: 'tensorflow', flags: {}, module: AppModule }, argv);
}
