/** A series of JSON objects without separators, as `kubectl get -o json` and `jq` write them. */
import { parseJson } from './json-text.ts';
import type { YamlObject } from './yaml-value.ts';

/** A string as a whole, or a brace. */
const TOKEN = /"(?:[^"\\]|\\.)*"|[{}]/g;

/** `rest` is the text after the last object, which is not JSON. */
export function jsonObjects(text: string): { objects: YamlObject[]; rest: string; restLine: number } {
  const objects: YamlObject[] = [];
  let at = 0;
  for (;;) {
    const start = at + (/\S/.exec(text.slice(at))?.index ?? text.length - at);
    const end = text[start] === '{' ? objectEnd(text, start) : undefined;
    const object = end === undefined ? undefined : parsed(text.slice(start, end));
    if (object === undefined || end === undefined) break;
    objects.push(object);
    at = end;
  }
  // The rest of the line on which the last object ends is not part of the YAML after it, if it is blank.
  const rest = objects.length === 0 ? text : text.slice(at).replace(/^[^\S\n]*\n?/, '');
  const restLine = text.slice(0, text.length - rest.length).split('\n').length;
  return { objects, rest, restLine };
}

function objectEnd(text: string, start: number): number | undefined {
  TOKEN.lastIndex = start;
  let depth = 0;
  for (let token = TOKEN.exec(text); token !== null; token = TOKEN.exec(text)) {
    if (token[0] === '{') depth++;
    else if (token[0] === '}' && --depth === 0) return TOKEN.lastIndex;
  }
  return undefined;
}

function parsed(text: string): YamlObject | undefined {
  try {
    return parseJson(text) as YamlObject;
  } catch {
    return undefined;
  }
}
