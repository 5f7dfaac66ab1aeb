/** No credentials are available. The message names the source and what to do. */
export class CredentialError extends Error {
  override readonly name = 'CredentialError';
}
