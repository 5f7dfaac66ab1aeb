/** No credentials could be had. The message says from where, and what to do. */
export class CredentialError extends Error {
  override readonly name = 'CredentialError';
}
