/** The mpi operator: MPIJobs of all three generations, on the common engine and shell. */
import { bootstrap } from '@muster/operator-host';
import { AppModule } from './app.module.ts';
import { MPI_FLAGS } from './flags.ts';

export { MPI_FLAGS };

/** Runs the operator until a signal ends the process; `argv` is what follows the program's name. */
export function main(argv: readonly string[]): Promise<void> {
  return bootstrap({ framework: 'mpi', flags: MPI_FLAGS, module: AppModule }, argv);
}
