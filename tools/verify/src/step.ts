/** One thing that a change has to pass, as a command. */
import { spawn } from 'node:child_process';

export interface Step {
  readonly name: string;
  /** Run from the root of the workspace, with its tools first on the PATH. */
  readonly command: readonly [string, ...string[]];
  /** Where the command's test runner leaves its JSON report, if it runs tests. */
  readonly report?: string;
}

/** Runs the step with its output shown. Whether it exited with 0. */
export async function passes(step: Step, root: string): Promise<boolean> {
  const [program, ...args] = step.command;
  console.log(`\n── ${step.name}: ${step.command.join(' ')}`);
  const startedMs = performance.now();
  const child = spawn(program, args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] });
  const passed = await new Promise<boolean>((resolve) => {
    child.once('error', (error) => {
      console.error(`${program} cannot be started (${error.message}): run npm ci`);
      resolve(false);
    });
    child.once('exit', (code) => resolve(code === 0));
  });
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
  console.log(`── ${step.name}: ${passed ? 'passed' : 'FAILED'} in ${seconds} s`);
  return passed;
}
