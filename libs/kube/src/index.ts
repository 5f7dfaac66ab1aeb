/**
 * Talking to the API server: credentials, verbs, watches and caches.
 *
 * A program loads a `ClusterAccess`, makes one client of it, and shares that among everything it does; informers are
 * made from the client and give the engine its picture of the cluster. This package knows nothing about jobs.
 */
export * from './back-off.ts';
export * from './cache.ts';
export * from './client.ts';
export * from './cluster-access.ts';
export * from './credential-error.ts';
export * from './discovery.ts';
export { createKubeClient, type KubeClientOptions } from './http-client.ts';
export type { Impersonation } from './impersonation.ts';
export * from './informer.ts';
export * from './kube-config.ts';
export * from './kube-error.ts';
export * from './logger.ts';
export { setLongTimer } from './long-timer.ts';
export * from './resource-name.ts';
export * from './token-bucket.ts';
export { exportCacheSizes } from './watch-metrics.ts';
export { withoutManagedFields } from './without-managed-fields.ts';
