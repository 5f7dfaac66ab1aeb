import type { Command } from 'commander';
import { EXIT_CODES } from '../exit-codes.ts';

/** Ends the command for a cause outside of the command line, such as the content of a file: without the hint at `--help`. */
export function endWithError(command: Command, message: string, exitCode: number = EXIT_CODES.error.code): never {
  return command.showHelpAfterError(false).error(`error: ${message}`, { exitCode });
}
