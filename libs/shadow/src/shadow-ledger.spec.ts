import { describe, expect, it } from 'vitest';
import { ShadowLedger } from './shadow-ledger.ts';

const unknown = { field: 'end', theirs: 'Failed', ours: 'Running' };
const documented = { field: 'Services', theirs: '3', ours: '1', row: 'every-kind: Services' };

function ledger(): ShadowLedger {
  const kept = new ShadowLedger('PyTorchJob');
  for (const name of ['a', 'b', 'c', 'd']) kept.see(name, name === 'd' ? 'other' : 'team', name);
  const times = [
    { step: 'create Pod', laterSeconds: 0 },
    { step: 'Running', laterSeconds: -1 },
  ];
  kept.note('a', { same: 7, differences: [], times });
  kept.note('b', { same: 6, differences: [documented, documented], times });
  kept.note('c', { same: 5, differences: [documented, unknown], times: [{ step: 'Running', laterSeconds: 3 }] });
  return kept;
}

describe('ShadowLedger', () => {
  it('counts jobs by their worst difference, and a row once for each job', () => {
    expect(ledger().report()).toMatchObject({
      ...{ kind: 'PyTorchJob', seen: 4, jobs: { waiting: 1, same: 1, documented: 1, unknown: 1 }, sameValues: 18 },
      documented: [
        { row: 'every-kind: Services', jobs: 2, example: { namespace: 'team', job: 'b', field: 'Services' } },
      ],
      unknown: [{ namespace: 'team', job: 'c', ...unknown }],
      times: [
        { step: 'create Pod', jobsByLaterSeconds: { 0: 2 } },
        { step: 'Running', jobsByLaterSeconds: { '-1': 2, 3: 1 } },
      ],
    });
  });

  it('reports the jobs of one namespace', () => {
    expect(ledger().report('other')).toMatchObject({ seen: 1, jobs: { waiting: 1, same: 0 }, documented: [] });
  });

  it('keeps the latest comparison of a job', () => {
    const kept = ledger();
    kept.note('c', { same: 5, differences: [], times: [] });
    expect(kept.classes()).toEqual({ waiting: 1, same: 2, documented: 1, unknown: 0 });
  });

  it('has a bound, and still counts all jobs', () => {
    const kept = new ShadowLedger('PyTorchJob');
    for (let at = 0; at < 6000; at++) kept.see(`uid-${at}`, 'team', `job-${at}`);
    expect(kept.report()).toMatchObject({ seen: 6000, jobs: { waiting: 5000 } });
  });
});
