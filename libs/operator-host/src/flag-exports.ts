/** Flags without NestJS, whose decorators Node cannot run from source: for flags of apps and for the generated page. */
export { OPERATOR_FLAGS } from './config.ts';
export { environmentVariable, onOff, text, wholeNumber, type Flag, type FlagKind, type FlagSet } from './flags.ts';
