import type { KubeClient } from '@muster/kube';
import { describe, expect, it } from 'vitest';
import type { OperatorReplica } from '../run/operator-replica.ts';
import type { OperatorVersion, OperatorVersions } from '../versions/operator-version.ts';
import type { FaultPlace } from './fault-place.ts';
import type { PlannedFault } from './random-faults.ts';
import { changeVersion } from './version-faults.ts';

const PLANNED: PlannedFault = { index: 0, fault: 'rollback', atMs: 0, forMs: 0, pick: 0, share: 0 };

function version(label: string): OperatorVersion {
  return { label, file: `${label}.cjs`, crds: [{ metadata: { name: label } } as OperatorVersion['crds'][number]] };
}

/** An operator of two replicas; `does` is what happens to it, in order. */
function place(versions: OperatorVersions, has: OperatorVersion) {
  const does: string[] = [];
  const replicas = ['a', 'b'].map((name) => ({
    framework: 'mpi',
    version: has,
    restart(this: { version: OperatorVersion }) {
      does.push(`start ${name} with ${this.version.label}`);
      return Promise.resolve();
    },
    ready() {
      does.push(`wait for ${name}`);
      return Promise.resolve();
    },
  })) as unknown as OperatorReplica[];
  const client = {
    apply: (_resource: unknown, { metadata }: { metadata: { name: string } }) => {
      does.push(`apply the CRD ${metadata.name}`);
      return Promise.resolve();
    },
  } as unknown as KubeClient;
  return { does, place: { client, replicas, versions: new Map([['mpi', versions]]) } as unknown as FaultPlace };
}

describe('changeVersion', () => {
  const versions = { current: version('current'), previous: version('previous') };

  it('applies the CRDs of the version, and then replaces one replica after the other', async () => {
    const { does, place: operator } = place(versions, versions.current);
    await changeVersion(operator, 'previous', PLANNED);
    await changeVersion(operator, 'current', PLANNED);
    expect(does).toEqual(
      ['previous', 'current'].flatMap((to) => [
        `apply the CRD ${to}`,
        `start a with ${to}`,
        'wait for a',
        `start b with ${to}`,
        'wait for b',
      ]),
    );
  });

  it.each([
    ['every operator has the version', versions, 'current'],
    ['no operator existed in the previous version', { current: versions.current }, 'previous'],
  ] as const)('fails without an effect if %s', async (_when, own, to) => {
    const { does, place: operator } = place(own, versions.current);
    await expect(changeVersion(operator, to, PLANNED)).rejects.toThrow(`no operator can get the ${to} version`);
    expect(does).toEqual([]);
  });
});
