/** Credentials are functions, because tokens and certificates are rotated while the process runs. */
export interface TlsOptions {
  /** PEM. Default: the system's certificate authorities. */
  ca?: string;
  cert?: string;
  key?: string;
  rejectUnauthorized?: boolean;
  /** The expected name in the server's certificate, if it is not the host's. */
  servername?: string;
}

/** `authorization` and impersonation headers, in lower case. */
export type Credentials = Record<string, string | string[]>;

export interface ClusterAccess {
  /** URL of the API server, perhaps with a path, without a trailing slash. */
  readonly server: string;
  /** URL of the proxy, perhaps with a name and a password. Default: none. */
  readonly proxy?: string;
  /** This process is a pod of the cluster. Default: false. */
  readonly isInCluster?: boolean;
  readonly namespace: string;
  /** Called for each new connection. Returns the same object as long as nothing changed. */
  tls(): Promise<TlsOptions>;
  /** Called for each request. Throws a `CredentialError`. */
  headers(): Promise<Credentials>;
  /** Drops cached credentials. Called after an answer of 401. */
  refresh(): void;
}
