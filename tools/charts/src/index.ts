/** The Helm charts, generated from the code: one for each framework, and an umbrella chart. */
export { chartFiles } from './chart-files.ts';
export { FRAMEWORK_CHARTS } from './framework-charts.ts';
export { valuesOfFlag, type ValuesOfFlag } from './values-of-flag.ts';
export type { GeneratedFile } from './files/generated-file.ts';
