/**
 * A failure that trying again will not mend: somebody has to change something first. It is logged and counted, and the
 * key rests until the next change of its object.
 */
export class TerminalError extends Error {
  override readonly name = 'TerminalError';
}
