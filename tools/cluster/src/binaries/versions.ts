/** Every version the embedded cluster is made of. Change a number here and the next start builds and runs that version. */
export const KUBERNETES_VERSION = '1.36.3';
export const ETCD_VERSION = '3.6.8';
export const KWOK_VERSION = '0.8.0';
export const COREDNS_VERSION = '1.14.7';

/** The Go release that the modules above declare in their go.mod. */
export const GO_VERSION = '1.26';
