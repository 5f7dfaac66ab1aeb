import { setTimeout as sleep } from 'node:timers/promises';
import { SeededRandom } from '@muster/fault-injection';
import { chosen } from './chosen.ts';
import type { FaultPlace } from './fault-place.ts';
import type { PlannedFault } from './random-faults.ts';

const SHORTEST_MS = 2_000;
const LONGEST_MS = 3_600_000;

/** The clock of one replica is set forward or back, and later right again, which is a jump in the other direction. */
export async function jumpClock({ replicas }: FaultPlace, { pick, forMs }: PlannedFault): Promise<void> {
  const replica = chosen(replicas, pick);
  const byMs = jumpOf(new SeededRandom(Math.floor(pick * 2 ** 31)));
  replica?.shiftClock(byMs);
  await sleep(forMs);
  replica?.shiftClock(-byMs);
}

/** Seconds, minutes and up to an hour are equally likely. */
export function jumpOf(random: SeededRandom): number {
  const size = SHORTEST_MS * (LONGEST_MS / SHORTEST_MS) ** random.fraction();
  return Math.round(random.isOneIn(2) ? size : -size);
}
