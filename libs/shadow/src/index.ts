/** Compares what another operator makes of its jobs with what Muster would make of them, and writes nothing. */
export { documented } from './documented.ts';
export { DIFFERENCES_OF_EVERY_KIND } from './every-kind-differences.ts';
export type { KindReport, ReportedDifference, ReportedTimes, ShadowReport } from './shadow-ledger.ts';
export { createShadowOperator, type ShadowOperator, type ShadowOperatorOptions } from './shadow-operator.ts';
