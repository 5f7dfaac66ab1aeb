import { parseYaml } from '@muster/kubernetes-yaml';
import { readFile, glob } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { withoutControls } from './control-characters.ts';
import { objectText } from './object-text.ts';
import { styled, visible } from './output.ts';
import { table } from './table.ts';

const HOSTILE = 'a\x1b]0;title\x07b\x1b[2Jc\rd\x9b31me\x7f\u202ef\x00';
const ESCAPED = 'a^[]0;title\\x07b^[[2Jc\\rd\\x9b31me\\x7f\\u202ef\\x00';

const unsafe = (text: string) => text.replaceAll(/[\n\t]/g, '').match(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/u);

describe('control characters', () => {
  it('are escaped, except tabs and line feeds', () => {
    expect(withoutControls(`${HOSTILE}\t\n`)).toBe(`${ESCAPED}\t\n`);
  });

  it('are escaped in output, except own styles', () => {
    const stream = Object.assign(Object.create(process.stdout) as NodeJS.WriteStream, {
      isTTY: true,
      getColorDepth: () => 8,
      hasColors: () => true,
    });
    const text = `${styled('red', HOSTILE, stream)} ${HOSTILE}`;
    expect(visible(text).replaceAll(/\x1b\[(?:31|39)m/g, '')).toBe(`${ESCAPED} ${ESCAPED}`);
  });

  it('are escaped in tables, whose cells are one line', () => {
    expect(
      table([
        ['NAME', 'MESSAGE'],
        ['x', `${HOSTILE}\n  forged  Running`],
      ]),
    ).toBe(`NAME  MESSAGE\nx     ${ESCAPED} forged  Running\n`);
  });

  it.each(['json', 'yaml'] as const)('are escaped in %s without a change of the value', (form) => {
    const object = { [HOSTILE]: HOSTILE, plain: 'a\x9b', size: 9007199254740993n };
    const text = objectText(object, form);
    expect(unsafe(text)).toBeNull();
    expect(text).toContain('9007199254740993');
    expect(parseYaml(text).value).toEqual(object);
  });

  it('cannot be printed without the module that escapes them', async () => {
    const found: string[] = [];
    for await (const file of glob('**/*.ts', { cwd: new URL('..', import.meta.url) })) {
      if (file.endsWith('.spec.ts') || file === 'terminal/output.ts') continue;
      const text = await readFile(new URL(`../${file}`, import.meta.url), 'utf8');
      if (/process\.std(?:out|err)\.write|console\.|\bstyleText\b/.test(text)) found.push(file);
    }
    expect(found).toEqual([]);
  });
});
