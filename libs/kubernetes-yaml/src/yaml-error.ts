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

/** What kubectl passes over in silence, such as a key that is given twice. */
export interface YamlWarning {
  readonly line: number;
  readonly problem: string;
}
