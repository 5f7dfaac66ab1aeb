/** The line with which Paddle's launcher reports a failed process, and its other lines. */
const FAILED = /^Container rank \d+ status failed cmd \[.*\] code (-?\d+) log /;

export interface PaddleReport {
  readonly text: string;
  readonly kind: 'signal' | 'end';
}

export function paddleReport(line: string): PaddleReport | undefined {
  const code = Number(FAILED.exec(line)?.[1] ?? NaN);
  if (Number.isNaN(code)) return undefined;
  const how = code < 0 ? `was ended by signal ${-code}` : `failed with exit code ${code}`;
  // A program that gets SIGABRT has printed the cause itself.
  return { text: `Paddle's launcher: a process ${how}`, kind: code < 0 && code !== -6 ? 'signal' : 'end' };
}

/** Of the launcher, and of the import and start of Paddle. */
export const PADDLE_LINES = [
  /^LAUNCH (?:DEBUG|INFO|WARNING|ERROR) /,
  /^[IW]\d{4} [\d:.]+ +\d+ tcp_(?:store|utils)\.cc:\d+\]/,
  /^=+ Modified FLAGS detected =+$/,
  /^FLAGS\(name='/,
  /extension_utils\.py:\d+: UserWarning: No ccache found/,
  /^ +warnings\.warn\(warning_message\)$/,
];
