/** Splits a byte stream, cut anywhere, into lines. An incomplete last line is dropped: it is a truncated object. */
const LINE_FEED = 0x0a;

export interface LineSplitter {
  /** Returns the lines completed by this chunk, without empty ones. */
  push(chunk: Uint8Array): string[];
}

export function createLineSplitter(): LineSplitter {
  // Bytes are joined before decoding. A line feed is never part of a longer UTF-8 sequence.
  let pending: Uint8Array[] = [];
  return {
    push(chunk) {
      const lines: string[] = [];
      let start = 0;
      for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, start)) {
        pending.push(chunk.subarray(start, end));
        const bytes = pending.length === 1 ? pending[0]! : Buffer.concat(pending);
        const line = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
        if (line.trim() !== '') lines.push(line);
        pending = [];
        start = end + 1;
      }
      if (start < chunk.length) pending.push(chunk.subarray(start));
      return lines;
    },
  };
}
