/** `muster cluster …`. `up` prints a PATH that includes this command line. */
import { fileURLToPath } from 'node:url';
import { registerClusterCommands } from '@muster/cluster';
import type { Command } from 'commander';

const MUSTER = fileURLToPath(new URL('../../bin/muster.js', import.meta.url));

export function registerLocalClusterCommands(program: Command): void {
  registerClusterCommands(program, {
    programs: { muster: MUSTER, 'kubectl-muster': MUSTER },
    install: async (frameworks, options) => {
      const { importExampleImages, installOperators } = await import('@muster/install');
      await installOperators(frameworks, options);
      await importExampleImages(frameworks, options);
    },
  });
}
