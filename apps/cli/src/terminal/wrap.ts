/** Wraps text at words on a terminal, which splits words at its edge. Other outputs get long lines. */

/** The used part of standard output. */
export interface Terminal {
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/**
 * @param indent before each line
 * @param more beyond the indent, before the lines after the first
 */
export function wrapped(
  text: string,
  indent = '',
  { isTTY, columns = 0 }: Terminal = process.stdout,
  more = '  ',
): string {
  if (isTTY !== true || columns < NARROWEST) return `${indent}${text}`;
  const [first = '', ...rest] = text.split(' ');
  const lines = [`${indent}${first}`];
  for (const word of rest) {
    const line = `${lines.at(-1)} ${word}`;
    if (line.length <= columns) lines[lines.length - 1] = line;
    else lines.push(`${indent}${more}${word}`);
  }
  return lines.join('\n');
}

const NARROWEST = 40;
