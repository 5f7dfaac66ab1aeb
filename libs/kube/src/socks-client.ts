/** A separate file, because bundlers give no named exports to a CommonJS package that is imported dynamically. */
export { SocksClient } from 'socks';
