import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { readAudit } from './audit-log.ts';

const folders: string[] = [];

afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true });
});

async function logOf(...events: readonly { verb?: string; decision: string; reason?: string }[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'audit-'));
  folders.push(folder);
  const lines = events.map(({ verb = 'watch', decision, reason = '' }) =>
    JSON.stringify({
      ...{ verb, user: { username: 'operator' }, objectRef: { resource: 'pods' } },
      annotations: { 'authorization.k8s.io/decision': decision, 'authorization.k8s.io/reason': reason },
    }),
  );
  const log = join(folder, 'audit.log');
  await writeFile(log, lines.join('\n'));
  return log;
}

describe('readAudit', () => {
  it('returns each refused right once', async () => {
    const log = await logOf({ decision: 'forbid' }, { decision: 'forbid' }, { verb: 'get', decision: 'allow' });
    const attributes = { verb: 'watch', group: '', resource: 'pods' };
    const refusals = [{ user: 'operator', request: 'watch pods /', attributes }];
    expect(await readAudit(log)).toEqual({ refusals, requests: 3 });
  });

  it('leaves out rights that were granted at another time, and those that were refused before the roles were read', async () => {
    const reason = 'RBAC: [clusterrole.rbac.authorization.k8s.io "operator" not found]';
    const log = await logOf(
      ...[{ decision: 'forbid' }, { decision: 'allow' }, { verb: 'list', decision: 'forbid', reason }],
    );
    expect((await readAudit(log)).refusals).toEqual([]);
  });
});
