/** A container's output in lines, without colours and without what launchers put in front of each line. */

export interface Line {
  readonly text: string;
  /** Of the process that printed it, where the launcher says so. */
  readonly rank?: number;
}

const COLOURS = /\u001B\[[\d;]*m/g;

/**
 * `[rank0]: ` of PyTorch, `[1,0]<stderr>:` of Open MPI, `[0]<stderr>:` of horovodrun and `(f pid=321, ip=10.0.0.4) ` of Ray. PyTorch's
 * and horovodrun's number is the rank; of Open MPI's two the second.
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
