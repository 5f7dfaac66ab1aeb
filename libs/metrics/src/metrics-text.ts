/**
 * All metrics of a registry in Prometheus' text format. The work yields to the event loop every few milliseconds, so series of
 * one scrape may show different moments.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Registry } from 'prom-client';
import { ScrapedGauge } from './scraped-gauge.ts';

const PIECE_MS = 5;
/** Lines between two checks of the time. */
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
