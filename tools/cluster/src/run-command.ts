/** Runs one program to its end, without a shell. Its output is captured completely, an abort kills it, and an error has its last lines. */
import { spawn } from 'node:child_process';
import { systemPath } from './system-path.ts';

export interface CommandOptions {
  cwd?: string;
  env?: NodeJS.ProcessEnv;
  /** Written to standard input; default: empty. */
  input?: string;
  signal?: AbortSignal | undefined;
  timeoutMs?: number;
  /** Called with each line of standard error as it arrives. */
  onErrorLine?: (line: string) => void;
}

export interface CommandOutput {
  stdout: string;
  stderr: string;
}

/** A program that could not be started, was aborted or exited with a code other than 0. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly lastLines: string;

  constructor(command: string, reason: string, lastLines: string) {
    super(`${command} ${reason}${lastLines === '' ? '' : `:\n${lastLines}`}`);
    this.lastLines = lastLines;
  }
}

export function lastLines(text: string, count: number): string {
  return text.trimEnd().split('\n').slice(-count).join('\n').trim();
}

export function runCommand(
  file: string,
  args: readonly string[],
  options: CommandOptions = {},
): Promise<CommandOutput> {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, {
      stdio: ['pipe', 'pipe', 'pipe'],
      ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
      env: options.env ?? { ...process.env, PATH: systemPath() },
      ...(options.signal === undefined ? {} : { signal: options.signal }),
      ...(options.timeoutMs === undefined ? {} : { timeout: options.timeoutMs }),
    });
    let stdout = '';
    let stderr = '';
    let partialLine = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => (stdout += chunk));
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      stderr += chunk;
      const lines = (partialLine + chunk).split('\n');
      partialLine = lines.pop() ?? '';
      for (const line of lines) options.onErrorLine?.(line);
    });
    // A program that exits without reading its input closes the pipe; its exit code has the result.
    child.stdin.on('error', () => undefined);
    child.stdin.end(options.input ?? '');
    const command = [file, ...args.slice(0, 2)].join(' ');
    child.once('error', (error) =>
      reject(new CommandError(command, `failed (${error.message})`, lastLines(stderr, 10))),
    );
    child.once('close', (code, signal) => {
      if (code === 0) resolve({ stdout, stderr });
      else
        reject(
          new CommandError(command, `ended with ${signal ?? `exit code ${code}`}`, lastLines(stderr || stdout, 10)),
        );
    });
  });
}
