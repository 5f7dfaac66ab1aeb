/**
 * The API server's audit log: user, request and response code of each request by the ServiceAccounts of one namespace. Requests of other
 * users are not logged.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The file has one JSON object a line, of the kind `Event` of `audit.k8s.io/v1`. */
export function auditLog(folder: string): string {
  return join(folder, 'audit.log');
}

/** Writes the policy; returns the API server's arguments. @param namespace whose ServiceAccounts are audited */
export function auditArguments(folder: string, namespace: string): string[] {
  const file = join(folder, 'audit-policy.json');
  const policy = {
    apiVersion: 'audit.k8s.io/v1',
    kind: 'Policy',
    omitStages: ['RequestReceived', 'ResponseStarted'],
    rules: [{ level: 'Metadata', userGroups: [`system:serviceaccounts:${namespace}`] }, { level: 'None' }],
  };
  writeFileSync(file, JSON.stringify(policy));
  return [`--audit-policy-file=${file}`, `--audit-log-path=${auditLog(folder)}`, '--audit-log-mode=batch'];
}
