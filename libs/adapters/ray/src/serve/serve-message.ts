/** Messages of Ray Serve in one line. They are Python's: tracebacks, errors of validation, or text over several lines. */

const LONGEST = 300;
const TRACEBACK = 'Traceback (most recent call last):';

const COLOURS = /\u001B\[[\d;]*m/g;

/** The error of a traceback, the fields and errors of a validation, or the end of any other text. Empty if there is none. */
export function serveMessage(text: string): string {
  const plain = text.replaceAll(COLOURS, '');
  const line = (validationErrors(plain) ?? errorOf(plain)).replaceAll(/\s+/g, ' ').trim();
  return line.length > LONGEST ? `…${line.slice(-LONGEST)}` : line;
}

/** What follows the frames of the last traceback. Frames are indented. */
function errorOf(text: string): string {
  const start = text.lastIndexOf(TRACEBACK);
  if (start < 0) return text;
  const lines = text.slice(start + TRACEBACK.length).split('\n');
  const first = lines.findIndex((line) => line.trim() !== '' && !/^\s/.test(line));
  return first < 0 ? text : lines.slice(first).join('\n');
}

/** pydantic: a field in each unindented line, its error indented below it. Undefined for other texts. */
function validationErrors(text: string): string | undefined {
  const [title = '', ...lines] = text.split('\n');
  if (!/^\d+ validation errors? for \w+$/.test(title)) return undefined;
  const errors: string[] = [];
  let field = '';
  for (const line of lines) {
    if (!/^\s/.test(line)) field = line;
    else if (!line.includes('For further information visit')) {
      const error = line.trim().replace(/ \[type=\w+,.*$/, '');
      errors.push(field === '' ? error : `${field}: ${error}`);
    }
  }
  return errors.length === 0 ? undefined : errors.join('; ');
}
