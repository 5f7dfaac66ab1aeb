/** The pytorch-elastic operator: PyTorchJobs, elastic and static, on the common engine and shell. */
import { bootstrap } from '@muster/operator-host';
import { AppModule } from './app.module.ts';
import { PYTORCH_FLAGS } from './flags.ts';

export { PYTORCH_FLAGS };

/** Runs the operator until a signal ends the process; `argv` is what follows the program's name. */
export function main(argv: readonly string[]): Promise<void> {
  return bootstrap({ framework: 'pytorch-elastic', flags: PYTORCH_FLAGS, module: AppModule }, argv);
}
