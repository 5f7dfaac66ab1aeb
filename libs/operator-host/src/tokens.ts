/** What Nest injects that is not a class. Injection is always by token: the type of a parameter is gone at run time. */
export const JOB_OPERATOR = Symbol('JobOperator');
export const OPERATOR_RUNTIME = Symbol('OperatorRuntime');
