/** What the lines of `examples/*\/train.py` say that are meant for programs. */

export interface Epoch {
  readonly epoch: number;
  readonly total: number;
  readonly loss: number;
  /** How many trained together. */
  readonly workers: number;
}

export interface TrainingLog {
  /** In the order in which they were written: after a restart some may come again. */
  readonly epochs: readonly Epoch[];
  /** Of the line that is written when all is done. */
  readonly result?: { readonly firstLoss: number; readonly lastLoss: number; readonly workers: number };
}

export function parseTrainingLog(text: string): TrainingLog {
  const epochs = [...text.matchAll(/^epoch (\d+)\/(\d+) loss ([\d.]+) workers (\d+)$/gm)].map(
    ([, epoch, total, loss, workers]) => ({
      epoch: Number(epoch),
      total: Number(total),
      loss: Number(loss),
      workers: Number(workers),
    }),
  );
  const [, firstLoss, lastLoss, workers] = /^done loss ([\d.]+) -> ([\d.]+) workers (\d+)$/m.exec(text) ?? [];
  if (firstLoss === undefined) return { epochs };
  return {
    epochs,
    result: { firstLoss: Number(firstLoss), lastLoss: Number(lastLoss), workers: Number(workers) },
  };
}

/**
 * The text of a pod's log over the lives of its container: what is read is only the present life's, so what was read
 * earlier is kept in front of it.
 */
export class LogHistory {
  #past = '';
  #present = '';

  get text(): string {
    return this.#past + this.#present;
  }

  /** @param read the whole log as the API server gives it now */
  add(read: string): void {
    if (!read.startsWith(this.#present)) {
      this.#past += this.#present.endsWith('\n') ? this.#present : `${this.#present}\n`;
    }
    this.#present = read;
  }
}
