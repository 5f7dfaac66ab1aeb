/** One check that every change must pass, as a command. */
import { spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';

export interface Step {
  readonly name: string;
  /** Run from the root of the workspace, with its tools first on the PATH. */
  readonly command: readonly [string, ...string[]];
  /** Added to the environment of the run. */
  readonly env?: Readonly<Record<string, string>>;
}

export interface Outcome {
  /** Whether it exited with 0. */
  readonly passed: boolean;
  /** The last lines of the output, repeated at the end of a long run. */
  readonly tail: readonly string[];
}

const TAIL_LINES = 25;

/** Runs the step and shows its output as it arrives. */
export async function run(step: Step, root: string): Promise<Outcome> {
  const [program, ...args] = step.command;
  console.log(`\n── ${step.name}: ${step.command.join(' ')}`);
  const startedMs = performance.now();
  const env = { ...process.env, ...step.env };
  const child = spawn(program, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let printed = '';
  const show = (stream: Readable, shown: Writable) =>
    stream.setEncoding('utf8').on('data', (text: string) => {
      shown.write(text);
      printed = (printed + text).split('\n').slice(-TAIL_LINES).join('\n');
    });
  show(child.stdout, process.stdout);
  show(child.stderr, process.stderr);
  const passed = await new Promise<boolean>((resolve) => {
    child.once('error', (error) => {
      console.error(`${program} cannot be started (${error.message}): run npm ci`);
      resolve(false);
    });
    child.once('close', (code) => resolve(code === 0));
  });
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
  console.log(`── ${step.name}: ${passed ? 'passed' : 'FAILED'} in ${seconds} s`);
  return { passed, tail: printed.trimEnd().split('\n') };
}
