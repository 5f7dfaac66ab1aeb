/**
 * What it takes to reach one cluster and to say who is asking. `kube-config.ts` makes it from files; anything that
 * speaks to an API server (the client here, a WebSocket for `exec`) takes it.
 *
 * Credentials are asked for again and again instead of being kept: tokens and certificates are rotated under a running
 * process.
 */
export interface TlsOptions {
  /** PEM. Without it the system's certificate authorities count. */
  ca?: string;
  cert?: string;
  key?: string;
  /** False: the server's certificate is not checked. */
  rejectUnauthorized?: boolean;
  /** The name to expect in the server's certificate, where it is not the host's. */
  servername?: string;
}

/** `authorization` and impersonation headers, in lower case. */
export type Credentials = Record<string, string | string[]>;

export interface ClusterAccess {
  /** URL of the API server, perhaps with a path, without a slash at its end. */
  readonly server: string;
  /** URL of the proxy that leads to the server, perhaps with a name and a password. Default: none does. */
  readonly proxy?: string;
  /** Whether this process is a pod of the cluster, in its network. Default: it is not. */
  readonly isInCluster?: boolean;
  /** Where namespaced objects go if nobody says otherwise. */
  readonly namespace: string;
  /** Asked for at every new connection. Returns the same object as long as nothing changed. */
  tls(): Promise<TlsOptions>;
  /** Asked for at every request. Throws a `CredentialError` that says what to do. */
  headers(): Promise<Credentials>;
  /** Forgets what is cached. Called when the server answered 401. */
  refresh(): void;
}
