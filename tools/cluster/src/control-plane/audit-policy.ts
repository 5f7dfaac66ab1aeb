/**
 * What the API server writes into its audit log: which account asked for what, and how it was answered, once for each request of the
 * ServiceAccounts of one namespace. Nothing is kept of what anybody else asks.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** One JSON object a line, of the kind `Event` of `audit.k8s.io/v1`. */
export function auditLog(folder: string): string {
  return join(folder, 'audit.log');
}

/** Writes the policy; returns the API server's arguments. @param namespace whose ServiceAccounts are followed */
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
