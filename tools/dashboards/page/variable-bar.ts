/** Variables of a dashboard: a select for one value, check boxes for several. */
import { ALL, type VariableState } from '../model/variables.ts';
import { element, select } from './element.ts';

const ALL_TEXT = 'All';

export function variableBar(
  states: readonly VariableState[],
  choose: (name: string, values: readonly string[]) => void,
): HTMLElement {
  const shown = states.filter(
    ({ variable }) => variable.hide !== 2 && !['datasource', 'constant'].includes(variable.type),
  );
  return element('div', { class: 'variables' }, ...shown.map((state) => control(state, choose)));
}

function control(state: VariableState, choose: (name: string, values: readonly string[]) => void): HTMLElement {
  const { variable, values, chosen } = state;
  const { name, multi = false, includeAll = false } = variable;
  const label = element('span', {}, variable.label || name);
  if (variable.type === 'textbox') {
    const input = element('input', { value: chosen[0] ?? '', name });
    input.addEventListener('change', () => choose(name, [input.value]));
    return element('label', { 'data-variable': name }, label, input);
  }
  if (multi) return element('div', { class: 'label', 'data-variable': name }, label, ticks(state, choose));
  const options = [...(includeAll ? [ALL] : []), ...values].map((value) => ({
    value,
    text: value === ALL ? ALL_TEXT : value,
  }));
  if (options.length === 0) options.push({ value: '', text: 'none' });
  const made = select({ name }, options, chosen[0] ?? '', (value) => choose(name, [value]));
  return element('label', { 'data-variable': name }, label, made);
}

function ticks(
  { variable, values, chosen }: VariableState,
  choose: (name: string, values: readonly string[]) => void,
): HTMLElement {
  const isAll = chosen.includes(ALL);
  const summary = isAll ? ALL_TEXT : chosen.join(', ') || 'none';
  const tick = (value: string, text: string, isTicked: boolean): HTMLElement => {
    const box = element('input', { type: 'checkbox', checked: isTicked });
    box.addEventListener('change', () => {
      if (value === ALL) return choose(variable.name, [ALL]);
      const others = isAll ? [] : chosen.filter((each) => each !== value);
      const wanted = box.checked ? [...others, value] : others;
      choose(variable.name, wanted.length > 0 ? wanted : [ALL]);
    });
    return element('label', {}, box, text);
  };
  return element(
    'details',
    { class: 'ticks' },
    element('summary', { title: summary }, summary),
    element(
      'div',
      {},
      ...(variable.includeAll === true ? [tick(ALL, ALL_TEXT, isAll)] : []),
      ...values.map((value) => tick(value, value, !isAll && chosen.includes(value))),
    ),
  );
}
