import type { Command } from 'commander';
import { EXIT_CODES } from '../exit-codes.ts';

/** Ends the command with an error that is not in the command line, such as a file's content: without the hint to `--help`. */
export function endWithError(command: Command, message: string, exitCode: number = EXIT_CODES.error.code): never {
  return command.showHelpAfterError(false).error(`error: ${message}`, { exitCode });
}
