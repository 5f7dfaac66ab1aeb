/**
 * What a kubeconfig says about a user and client-node's `KubeConfig` drops: `tokenFile`, and whom to impersonate beyond
 * a name. Files that say none of it, which are most, are not parsed again for it.
 */
import { isAbsolute, join } from 'node:path';
import type { Credentials } from './cluster-access.ts';

export interface UserSupplement {
  name?: string | undefined;
  /** Absolute. */
  tokenFile?: string;
  impersonation: Credentials;
}

interface SupplementedUser {
  tokenFile?: string;
  'as-uid'?: string;
  'as-groups'?: string[];
  'as-user-extra'?: Record<string, string[]>;
}

const SUPPLEMENTED = /\b(tokenFile|as-uid|as-groups|as-user-extra)\b/;

/** @param text a kubeconfig, known to be YAML. @param folder what its file names are relative to */
export async function readUserSupplements(text: string, folder: string): Promise<UserSupplement[]> {
  if (!SUPPLEMENTED.test(text)) return [];
  const { parse } = await import('yaml');
  const { users } = parse(text, { logLevel: 'error' }) as {
    users?: ({ name?: string; user?: SupplementedUser | null } | null)[] | null;
  };
  return (users ?? []).map((entry) => {
    const { tokenFile = '', ...impersonated } = entry?.user ?? {};
    return {
      name: entry?.name,
      ...(tokenFile !== '' && { tokenFile: isAbsolute(tokenFile) ? tokenFile : join(folder, tokenFile) }),
      impersonation: impersonationHeaders(impersonated),
    };
  });
}

function impersonationHeaders(user: SupplementedUser): Credentials {
  const headers: Credentials = {};
  if (user['as-uid'] !== undefined) headers['impersonate-uid'] = user['as-uid'];
  if (user['as-groups'] !== undefined) headers['impersonate-group'] = user['as-groups'];
  for (const [key, values] of Object.entries(user['as-user-extra'] ?? {})) {
    headers[`impersonate-extra-${encodeURIComponent(key).toLowerCase()}`] = values;
  }
  return headers;
}
