/** Operators of this checkout on a local cluster: installed by their charts, or run as processes beside it. */
export { importExampleImages, installOperators, OPERATORS_NAMESPACE } from './install-operators.ts';
export { OperatorProcess } from './operator-process.ts';
