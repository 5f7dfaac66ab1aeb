/** Parses the machine-readable log lines of `examples/*\/train.py`. */

export interface Epoch {
  readonly epoch: number;
  readonly total: number;
  readonly loss: number;
  /** The number of workers. */
  readonly workers: number;
}

export interface TrainingLog {
  /** In the order of the log; after a restart, epochs may repeat. */
  readonly epochs: readonly Epoch[];
  /** From the line at the end of the training. */
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
 * The log of a pod across restarts of its container. The API server returns only the log of the current run, so the logs of earlier
 * runs are kept.
 */
export class LogHistory {
  #past = '';
  #present = '';

  get text(): string {
    return this.#past + this.#present;
  }

  /** @param read the current log from the API server */
  add(read: string): void {
    if (!read.startsWith(this.#present)) {
      this.#past += this.#present.endsWith('\n') ? this.#present : `${this.#present}\n`;
    }
    this.#present = read;
  }
}
