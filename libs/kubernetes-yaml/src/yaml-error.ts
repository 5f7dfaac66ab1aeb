/** The text is not YAML that kubectl accepts. */
export class YamlError extends Error {
  override readonly name = 'YamlError';
  /** Counted from 1. */
  readonly line: number;
  /** Without the line. */
  readonly problem: string;

  constructor(line: number, problem: string) {
    super(`line ${line}: ${problem}`);
    this.line = line;
    this.problem = problem;
  }
}

/** Input that kubectl accepts silently, such as a duplicate key. */
export interface YamlWarning {
  readonly line: number;
  readonly problem: string;
}
