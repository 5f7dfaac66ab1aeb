/** The lines of a container's output, without colours and launchers' prefixes. */

export interface Line {
  readonly text: string;
  /** Rank of the process that printed the line, if the launcher shows it. */
  readonly rank?: number;
}

const COLOURS = /\u001B\[[\d;]*m/g;

/**
 * `[rank0]: ` of PyTorch, `[1,0]<stderr>:` of Open MPI, `[0]<stderr>:` of horovodrun, `(f pid=321, ip=10.0.0.4) ` of Ray. The rank is the
 * number of PyTorch and horovodrun, and the second number of Open MPI.
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
