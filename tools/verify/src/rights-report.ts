/** Reports on the operators' rights from the audit logs of a run. */
import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { refusedRights, rightsOf, unusedRights, type AuditEvent } from './least-privilege.ts';
import type { OperatorAccount } from './operator-accounts.ts';
import { KEPT_RIGHTS } from './unused-rights.ts';

export interface RightsReport {
  /** One line for each right that an operator lacked. */
  readonly refused: readonly string[];
  /** One line for each right that an operator has and did not use, except those kept on purpose. */
  readonly unused: readonly string[];
  /** Rights that are listed as unused on purpose but were used. */
  readonly outdated: readonly string[];
}

/** Undefined if nothing was audited. @param reports the folder of `keepAudit` */
export async function rightsReport(reports: string): Promise<RightsReport | undefined> {
  const logs = globSync('*.audit.json', { cwd: reports });
  if (logs.length === 0) return undefined;
  const accounts = JSON.parse(await readFile(join(reports, 'accounts.json'), 'utf8')) as OperatorAccount[];
  const events: AuditEvent[] = [];
  for (const log of logs) events.push(...(JSON.parse(await readFile(join(reports, log), 'utf8')) as AuditEvent[]));
  const each = accounts.map(({ framework, user, rules }) => {
    const onPurpose = Object.keys(KEPT_RIGHTS[framework] ?? {});
    const unused = unusedRights(events, user, rightsOf(rules));
    const of = (rights: readonly string[]) => rights.map((right) => `${framework}: ${right}`);
    return {
      refused: of(refusedRights(events, user)),
      unused: of(unused.filter((right) => !onPurpose.includes(right))),
      outdated: of(onPurpose.filter((right) => !unused.includes(right))),
    };
  });
  return {
    refused: each.flatMap(({ refused }) => refused),
    unused: each.flatMap(({ unused }) => unused),
    outdated: each.flatMap(({ outdated }) => outdated),
  };
}
