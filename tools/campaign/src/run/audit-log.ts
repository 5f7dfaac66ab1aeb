/** Reads the refused rights from the API server's audit log, which starts a new file after every 100 MB. */
import { createReadStream, globSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import type { AuditEvent } from '@muster/verify';
import type { Refusal } from '../history/history.ts';

/** A right that was refused and never granted. */
export interface RefusedRight extends Refusal {
  /** Of a SubjectAccessReview: the right, without the object's name. */
  readonly attributes: Readonly<Record<string, string>>;
}

export interface Audit {
  readonly refusals: readonly RefusedRight[];
  /** All requests of the audited accounts. */
  readonly requests: number;
}

/**
 * The rights that were refused and never granted, each once. An API server refuses everything until it has read the roles after its start,
 * so a right that was granted at another time is not missing. A line that a killed API server has not finished is left out.
 */
export async function readAudit(log: string): Promise<Audit> {
  const refusals = new Map<string, RefusedRight>();
  const granted = new Set<string>();
  let requests = 0;
  for (const file of globSync('audit*.log', { cwd: dirname(log) })) {
    for await (const line of createInterface({ input: createReadStream(join(dirname(log), file)) })) {
      const event = parse(line);
      if (event === undefined) continue;
      requests++;
      const { apiGroup, resource, subresource, namespace, name } = event.objectRef ?? {};
      const what = [resource, subresource].filter(Boolean).join('/');
      const request = `${event.verb} ${what}${apiGroup === undefined ? '' : `.${apiGroup}`}`;
      const key = `${event.user.username} ${request}`;
      const { 'authorization.k8s.io/decision': decision, 'authorization.k8s.io/reason': reason } =
        event.annotations ?? {};
      if (decision !== 'forbid') granted.add(key);
      // `RBAC: [clusterrole … not found]`: the roles are not read yet.
      if (reason?.includes('not found') === true) continue;
      if (granted.has(key) || refusals.has(key)) continue;
      const attributes = {
        ...{ verb: event.verb, group: apiGroup ?? '', resource: resource ?? '' },
        ...(subresource !== undefined && { subresource }),
        ...(namespace !== undefined && { namespace }),
      };
      const text = `${request} ${namespace ?? ''}/${name ?? ''}`;
      refusals.set(key, { user: event.user.username, request: text, attributes });
    }
  }
  return { refusals: [...refusals].flatMap(([key, refusal]) => (granted.has(key) ? [] : [refusal])), requests };
}

function parse(line: string): AuditEvent | undefined {
  try {
    return JSON.parse(line) as AuditEvent;
  } catch {
    return undefined;
  }
}
