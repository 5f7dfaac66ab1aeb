import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { plainAdapter, type PlainWorld, SETTINGS, worldOf } from '@muster/common-job-controller/testing';
import { planJob } from '@muster/common-job-controller';
import { lineOf, recordIn } from './run-record.ts';
import { RunSample } from './run-sample.ts';

function line(plain: PlainWorld): string {
  const [adapter, world] = [plainAdapter(plain), worldOf(plain)];
  return lineOf({ adapter, world, settings: SETTINGS, plan: planJob(adapter, world, SETTINGS) });
}

function sampleOf(lines: readonly string[]): RunSample {
  const sample = new RunSample();
  for (const each of lines) sample.add(recordIn(each));
  return sample;
}

function linesOf(sample: RunSample, mostBytes = Infinity): string[] {
  return gunzipSync(sample.text(mostBytes).bytes).toString().split('\n').filter(Boolean);
}

const CREATED = line({ workers: 1 });
const CREATED_AGAIN = line({ workers: 1, annotations: { note: 'a longer manifest, and the same decisions' } });
const RUNNING = line({ pods: [{ phase: 'Running' }] });
const FAILED = line({ pods: [{ phase: 'Failed', exit: 1 }] });

describe('RunSample', () => {
  it('keeps the shortest run of each decision path, independently of their order', () => {
    const lines = [CREATED_AGAIN, CREATED, RUNNING, FAILED];
    const kept = linesOf(sampleOf(lines));
    expect(kept.toSorted()).toEqual([CREATED, RUNNING, FAILED].toSorted());
    expect(linesOf(sampleOf(lines.toReversed()))).toEqual(kept);
  });

  it('respects its size limit, and counts the paths that are left out', () => {
    const sample = sampleOf([CREATED, RUNNING, FAILED]);
    const whole = sample.text(Infinity);
    expect(whole).toMatchObject({ runs: 3, leftOut: 0 });
    const part = sample.text(whole.bytes.length - 1);
    expect(part.bytes.length).toBeLessThan(whole.bytes.length);
    expect(part).toMatchObject({ runs: 2, leftOut: 1 });
  });
});
