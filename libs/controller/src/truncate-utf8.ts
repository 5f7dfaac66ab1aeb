const ELLIPSIS = '…';

export function truncateUtf8(text: string, maxBytes: number): string {
  if (Buffer.byteLength(text) <= maxBytes) return text;
  const bytes = Buffer.from(text);
  let end = maxBytes - Buffer.byteLength(ELLIPSIS);
  // A continuation byte is 10xxxxxx: a cut in front of one would split a character.
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return bytes.toString('utf8', 0, end) + ELLIPSIS;
}
