/** Reads the audit log of an API server, which starts a new file after every 100 MB. */
import { createReadStream, globSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import type { AuditEvent } from './least-privilege.ts';

/** Returns one event per account, resource, verb and decision: a log repeats them in a hundred thousand lines. */
export async function auditEvents(log: string): Promise<AuditEvent[]> {
  const folder = dirname(log);
  const events = new Map<string, AuditEvent>();
  for (const file of globSync('audit*.log', { cwd: folder })) {
    for await (const line of createInterface({ input: createReadStream(join(folder, file)) })) {
      const { verb, user, objectRef, annotations } = JSON.parse(line) as AuditEvent;
      const { apiGroup, resource, subresource } = objectRef ?? {};
      const decision = annotations?.['authorization.k8s.io/decision'];
      const key = [user.username, decision, verb, apiGroup, resource, subresource].join(' ');
      if (events.has(key)) continue;
      events.set(key, { verb, user, ...(objectRef && { objectRef }), ...(annotations && { annotations }) });
    }
  }
  return [...events.values()];
}
