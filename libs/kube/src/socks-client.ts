/** Imported late. Its own file, because a bundler gives no named exports to a CommonJS package that is imported late by its name. */
export { SocksClient } from 'socks';
