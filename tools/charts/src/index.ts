/** The Helm charts, made of what the code declares: one for each framework, and one of them all. */
export { chartFiles } from './chart-files.ts';
export { valuesOfFlag, type ValuesOfFlag } from './values-of-flag.ts';
export type { GeneratedFile } from './files/generated-file.ts';
