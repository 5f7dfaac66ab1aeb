/**
 * All of a registry in Prometheus' text format, made without holding up the process: between pieces of a few milliseconds
 * everything else has its turn. So a series tells what there was when its piece was made.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Registry } from 'prom-client';
import { ScrapedGauge } from './scraped-gauge.ts';

const PIECE_MS = 5;
/** How many lines are made before the time is looked at. */
const LINES = 100;

export async function metricsText(registry: Registry): Promise<string> {
  const pieces: string[] = [];
  for (const metric of registry.getMetricsAsArray()) {
    if (metric instanceof ScrapedGauge) await addPieces(pieces, (metric as ScrapedGauge).lines());
    else pieces.push(await registry.getSingleMetricAsString((metric as unknown as { name: string }).name));
    await nextTurn();
  }
  return `${pieces.join('\n')}\n`;
}

async function addPieces(pieces: string[], lines: Iterable<string>): Promise<void> {
  let begunMs = performance.now();
  let piece: string[] = [];
  for (const line of lines) {
    piece.push(line);
    if (piece.length < LINES) continue;
    pieces.push(piece.join('\n'));
    piece = [];
    if (performance.now() - begunMs < PIECE_MS) continue;
    await nextTurn();
    begunMs = performance.now();
  }
  if (piece.length > 0) pieces.push(piece.join('\n'));
}
