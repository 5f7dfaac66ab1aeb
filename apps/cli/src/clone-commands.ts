import type { Command } from 'commander';
import { endWithError } from './terminal/end-with-error.ts';

/** Commands that build or install what is in a clone of Muster. The packed command line has only their names. */
export type CloneCommand = 'cluster' | 'operator' | 'dashboards';

/** Adds a command that only prints where it can be run. */
export function registerAbsentCommand(program: Command, name: CloneCommand, summary: string): void {
  program
    .command(name)
    .description(`${summary}. ${where(name)}`)
    .argument('[arguments...]')
    .allowUnknownOption()
    .passThroughOptions()
    .action((_arguments: string[], _options: unknown, command: Command) =>
      endWithError(command, `muster ${name}: ${where(name)}`),
    );
}

function where(name: CloneCommand): string {
  return `This package does not include it. Run it in a clone of Muster: npm ci && npx muster ${name}`;
}
