import type { ClusterAccess, Credentials } from './cluster-access.ts';
import { CredentialError } from './credential-error.ts';

export interface Impersonation {
  readonly user?: string;
  readonly groups?: readonly string[];
  readonly uid?: string;
}

export function impersonating(access: ClusterAccess, { user, groups = [], uid }: Impersonation): ClusterAccess {
  const own: Credentials = {
    ...(user !== undefined && { 'impersonate-user': user }),
    ...(groups.length > 0 && { 'impersonate-group': [...groups] }),
    ...(uid !== undefined && { 'impersonate-uid': uid }),
  };
  if (Object.keys(own).length === 0) return access;
  return {
    ...access,
    headers: async () => {
      const headers = { ...(await access.headers()), ...own };
      // The API server's own message would not name the cause.
      if (headers['impersonate-user'] === undefined)
        throw new CredentialError('A group or a UID is impersonated only together with a user: add --as.');
      return headers;
    },
  };
}
