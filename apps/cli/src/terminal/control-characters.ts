/**
 * Control characters, as texts from a cluster may have them: messages, events, names. A terminal obeys them, so they are printed as
 * escapes. kubectl does so in tables and descriptions; like kubectl, `logs` prints what a program wrote as it is.
 */

/** All but tab and line feed; with DEL, the C1 set, which UTF-8 terminals obey too, and the overrides of text direction. */
const CONTROL = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g;

/** `^[` and `\r` as kubectl writes them, the others as `\x9b` or `\u202e`. */
export function withoutControls(text: string): string {
  return text.replaceAll(CONTROL, (character) => {
    if (character === '\x1b') return '^[';
    if (character === '\r') return '\\r';
    const code = character.charCodeAt(0);
    return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u${code.toString(16)}`;
  });
}

/** The same for JSON, whose strings may hold those that `JSON.stringify` leaves: the result is read as the same value. */
export function withJsonEscapes(json: string): string {
  return json.replaceAll(/[\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}
