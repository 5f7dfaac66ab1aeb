/** Loads the values of a dashboard's variables in order, because a query can contain earlier variables. */
import type { Variable } from '../model/dashboard.ts';
import type { TimeRange } from '../model/time-range.ts';
import {
  arranged,
  chosenOf,
  fixedValues,
  interpolated,
  labelValuesQuery,
  type VariableState,
} from '../model/variables.ts';
import { labelValues } from './prometheus.ts';

/** The only data source. */
const DATA_SOURCE = 'prometheus';

/** @param requested values that the user selected, by variable name */
export async function loadVariables(
  variables: readonly Variable[],
  requested: ReadonlyMap<string, readonly string[]>,
  range: TimeRange,
): Promise<VariableState[]> {
  const states: VariableState[] = [];
  for (const variable of variables) {
    const values = await valuesOf(variable, states, range);
    states.push({ variable, values, chosen: chosenOf(variable, values, requested.get(variable.name)) });
  }
  return states;
}

async function valuesOf(variable: Variable, before: readonly VariableState[], range: TimeRange): Promise<string[]> {
  if (variable.type === 'datasource') return [DATA_SOURCE];
  if (variable.type !== 'query') return fixedValues(variable);
  const query = labelValuesQuery(variable);
  if (query === undefined) return [];
  const selector = query.selector === undefined ? undefined : interpolated(query.selector, before);
  return arranged(variable, await labelValues(query.label, selector, range));
}
