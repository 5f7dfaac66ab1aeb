/** Adds `tokenFile` and full impersonation, which client-node's `KubeConfig` drops. Most files have neither. */
import { isAbsolute, join } from 'node:path';
import type { Credentials } from './cluster-access.ts';
import { CredentialError } from './credential-error.ts';

export interface UserSupplement {
  name?: string | undefined;
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

/** @param folder base of relative file names @throws CredentialError where kubectl refuses the text, too */
export async function readUserSupplements(text: string, folder: string): Promise<UserSupplement[]> {
  if (!SUPPLEMENTED.test(text)) return [];
  const { parseYaml, YamlError } = await import('@muster/kubernetes-yaml');
  let config;
  try {
    config = parseYaml(text).value;
  } catch (error) {
    // The parser's message may quote the file, which holds secrets.
    const where = error instanceof YamlError ? `line ${error.line}` : 'its structure';
    throw new CredentialError(`The kubeconfig is not valid YAML for kubectl: correct ${where}.`);
  }
  const { users } = config as { users?: ({ name?: string; user?: SupplementedUser | null } | null)[] | null };
  return (users ?? []).map((entry) => {
    refuseNonStrings(entry?.name, entry?.user ?? {});
    const { tokenFile = '', ...impersonated } = entry?.user ?? {};
    return {
      name: entry?.name,
      ...(tokenFile !== '' && { tokenFile: isAbsolute(tokenFile) ? tokenFile : join(folder, tokenFile) }),
      impersonation: impersonationHeaders(impersonated),
    };
  });
}

/** `as-uid: 0400` is a number in YAML, so its digits are lost. */
function refuseNonStrings(name: string | undefined, user: SupplementedUser): void {
  const { tokenFile, 'as-uid': uid, 'as-groups': groups, 'as-user-extra': extra } = user;
  const found = Object.entries({
    tokenFile,
    'as-uid': uid,
    'as-groups': groups,
    'as-user-extra': Object.values(extra ?? {}),
  });
  for (const [field, value] of found)
    if ([value].flat(2).some((each) => each !== undefined && typeof each !== 'string'))
      throw new CredentialError(`User "${name}" of the kubeconfig: ${field} must be text: put it in quotes.`);
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
