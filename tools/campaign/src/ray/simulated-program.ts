/** What Ray's programs do, as text in their entrypoints and import paths. */

export interface Program {
  /** Undefined: it never ends. */
  readonly exitCode: number | undefined;
  readonly afterMs: number;
}

export function programText({ exitCode, afterMs }: Program): string {
  return exitCode === undefined ? '--endless' : `--run-ms=${afterMs} --exit-code=${exitCode}`;
}

/** Undefined if the text, such as that of a pod, has no program. */
export function programIn(text: string): Program | undefined {
  if (text.includes('--endless')) return { exitCode: undefined, afterMs: Infinity };
  const [, afterMs, exitCode] = /--run-ms=(\d+) --exit-code=(\d+)/.exec(text) ?? [];
  return afterMs === undefined ? undefined : { exitCode: Number(exitCode), afterMs: Number(afterMs) };
}

const BROKEN = 'fruit.broken';

export function serveImport(works: boolean): string {
  return works ? 'fruit.app' : BROKEN;
}

export function doesServe(importPath: string): boolean {
  return importPath !== BROKEN;
}
