/**
 * Escapes control characters in texts from a cluster (messages, events, names), because terminals execute them. kubectl does so in
 * tables and descriptions. `logs` prints the output of programs unchanged, as kubectl does.
 */

/** All except tab and line feed, with DEL, the C1 set, which UTF-8 terminals execute, too, and overrides of text direction. */
const CONTROL = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g;

/** `^[` and `\r` as in kubectl, the others as `\x9b` or `\u202e`. */
export function withoutControls(text: string): string {
  return text.replaceAll(CONTROL, (character) => {
    if (character === '\x1b') return '^[';
    if (character === '\r') return '\\r';
    const code = character.charCodeAt(0);
    return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u${code.toString(16)}`;
  });
}

/** The same for JSON, for the characters that `JSON.stringify` does not escape. The parsed value stays the same. */
export function withJsonEscapes(json: string): string {
  return json.replaceAll(/[\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}
