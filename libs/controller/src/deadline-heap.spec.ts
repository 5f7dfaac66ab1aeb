import { describe, expect, it } from 'vitest';
import { randomNumbers } from '../test-support/random-numbers.ts';
import { DeadlineHeap } from './deadline-heap.ts';

describe('DeadlineHeap', () => {
  it('returns keys in the order of their deadlines, with the earliest deadline of each key', () => {
    for (let seed = 0; seed < 50; seed += 1) {
      const random = randomNumbers(seed);
      const heap = new DeadlineHeap();
      const model = new Map<string, number>();
      for (let step = 0; step < 300; step += 1) {
        const key = `k${Math.floor(random() * 60)}`;
        const dueMs = Math.floor(random() * 1000);
        heap.addNoLater(key, dueMs);
        model.set(key, Math.min(dueMs, model.get(key) ?? Infinity));
        if (random() < 0.2) {
          const earliest = Math.min(...model.values());
          expect(heap.nextDueMs).toBe(earliest);
          expect(heap.takeDue(earliest - 1)).toBeUndefined();
          const taken = heap.takeDue(earliest) ?? 'none';
          expect(model.get(taken), `seed ${seed}`).toBe(earliest);
          model.delete(taken);
        }
        if (random() < 0.2) {
          const removed = `k${Math.floor(random() * 60)}`;
          heap.remove(removed);
          model.delete(removed);
        }
        expect(heap.nextDueMs ?? Infinity).toBe(Math.min(...model.values()));
        expect(heap.size).toBe(model.size);
      }
    }
  });
});
