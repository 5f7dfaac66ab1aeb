/** The longest beginning of `text` that fits into `maxBytes` of UTF-8, with an ellipsis where something was cut. */
const ELLIPSIS = '…';

export function truncateUtf8(text: string, maxBytes: number): string {
  if (Buffer.byteLength(text) <= maxBytes) return text;
  const bytes = Buffer.from(text);
  let end = maxBytes - Buffer.byteLength(ELLIPSIS);
  // A continuation byte is 10xxxxxx: never cut in front of one, or a character is torn apart.
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return bytes.toString('utf8', 0, end) + ELLIPSIS;
}
