/**
 * Imported dynamically. A file of its own, because bundlers give no named exports to a dynamically imported CommonJS
 * package.
 */
export { stringify } from 'yaml';
