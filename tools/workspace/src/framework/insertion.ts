/** New lines at a place of an existing file. */
import type { Tree } from '@nx/devkit';

export interface Insertion {
  readonly file: string;
  /** A text that the file contains once; the new lines go after or before it. */
  readonly after?: string;
  readonly before?: string;
  /** The first cell of a row of a table in Markdown; the new row goes before it. */
  readonly beforeRow?: string;
  /** The module of an import; the new lines are further imported names. */
  readonly importsFrom?: string;
  readonly lines: string;
}

/** Throws if the file does not contain the place, or contains it more than once. */
export function insert(tree: Tree, insertion: Insertion): void {
  const { file, lines } = insertion;
  const text = tree.read(file, 'utf-8') ?? '';
  const [before, after, ...more] = aroundPlace(text, insertion);
  if (before === undefined || after === undefined || more.length > 0)
    throw new Error(
      `${file} must contain this exactly once: ${JSON.stringify({ ...insertion, file: undefined, lines: undefined })}`,
    );
  tree.write(file, before + lines + after);
}

/** The text before and after the new lines. Other lengths: the place is missing, or not the only one. */
function aroundPlace(text: string, { after, before, beforeRow, importsFrom }: Insertion): string[] {
  if (importsFrom !== undefined) {
    // Names may be on one line or on a line each, and with type in front.
    const names = new RegExp(`^import \\{([^}]*?),?\\s*\\} from '${importsFrom}';`, 'm').exec(text);
    if (names === null) return [];
    const end = names.index + 'import {'.length + (names[1] ?? '').length;
    return [`${text.slice(0, end)}, `, text.slice(end)];
  }
  const row = text.split('\n').find((line) => beforeRow !== undefined && line.startsWith(`| ${beforeRow} `));
  const place = after ?? before ?? row ?? beforeRow ?? '';
  const parts = text.split(place);
  if (parts.length !== 2) return parts.length === 1 ? [] : parts;
  const [head = '', tail = ''] = parts;
  return after === undefined ? [head, place + tail] : [head + place, tail];
}
