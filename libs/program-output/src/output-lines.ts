/** The lines of a container's output, without colours and launchers' prefixes. */

export interface Line {
  readonly text: string;
  readonly rank?: number;
}

const COLOURS = /\u001B\[[\d;]*m/g;

/**
 * Prefixes of PyTorch (`[rank0]: `), Open MPI (`[1,0]<stderr>:`, the rank is second), horovodrun (`[0]<stderr>:`) and Ray (`(f pid=321,
 * ip=10.0.0.4) `).
 */
const PREFIX =
  /^(?:\[rank(\d{1,6})\]:(?: |$)|\[(?:\d{1,6},)?(\d{1,6})\]<std(?:err|out)>: ?|\([^()]{0,80}pid=\d{1,9}[^()]{0,80}\) ?)/;

export function linesOf(output: string): Line[] {
  return output
    .replaceAll(COLOURS, '')
    .split(/\r?\n|\r/)
    .map((line) => {
      const [prefix = '', ofTorch, ofMpi] = PREFIX.exec(line) ?? [];
      const rank = ofTorch ?? ofMpi;
      return { text: line.slice(prefix.length), ...(rank !== undefined && { rank: Number(rank) }) };
    });
}
