/**
 * Two modules of undici, imported one by one: its index also loads fetch, WebSocket and a cache, which costs every
 * operator 14 MB of memory and 60 ms at the start. The version is pinned, and the tests of the transport would notice
 * a move.
 */
declare module 'undici/lib/dispatcher/pool.js' {
  import type { Pool } from 'undici';
  const PoolClass: typeof Pool;
  export default PoolClass;
}

declare module 'undici/lib/core/connect.js' {
  import type { buildConnector as builder } from 'undici';
  const buildConnector: typeof builder;
  export default buildConnector;
}
