/** `values.yaml`: each value with its default, and its description as a comment. */
import { stringify } from 'yaml';
import type { ValueSchema } from '../values/chart-values.ts';
import { isGroup } from '../values/leaf-values.ts';

const WIDTH = 110;

export function valuesFile(schema: ValueSchema): string {
  return Object.entries(schema.properties ?? {})
    .map(([name, value]) => lines(name, value, ''))
    .join('\n');
}

function lines(name: string, schema: ValueSchema, indent: string): string {
  const comment = commentLines(commentOf(schema), indent);
  if (!isGroup(schema)) return comment + indented(stringify({ [name]: schema.default }, { lineWidth: 0 }), indent);
  const inner = Object.entries(schema.properties ?? {}).map(([each, value]) => lines(each, value, `${indent}  `));
  return `${comment}${indent}${name}:\n${inner.join('')}`;
}

function commentOf({ description = '', enum: choices }: ValueSchema): string {
  return choices === undefined ? description : `${description} One of ${choices.map(quoted).join(', ')}.`;
}

function quoted(choice: unknown): string {
  return choice === '' ? '""' : String(choice);
}

function commentLines(text: string, indent: string): string {
  const wrapped: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && indent.length + line.length + word.length + 3 > WIDTH) {
      wrapped.push(line);
      line = '';
    }
    line = line === '' ? word : `${line} ${word}`;
  }
  return [...wrapped, line].map((each) => `${indent}# ${each}\n`).join('');
}

function indented(text: string, indent: string): string {
  return text.replaceAll(/^(?=.)/gm, indent);
}
