/** Creates an element. Strings are always text, never HTML. */
type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;
export type Child = Node | string | undefined;

export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    made.setAttribute(name, value === true ? '' : String(value));
  }
  made.append(...children.filter((child) => child !== undefined));
  return made;
}

/** A `<select>`. Calls `choose` with the selected value. */
export function select(
  attributes: Attributes,
  options: readonly { readonly value: string; readonly text: string }[],
  current: string,
  choose: (value: string) => void,
): HTMLSelectElement {
  const made = element(
    'select',
    attributes,
    ...options.map(({ value, text }) => element('option', { value, selected: value === current }, text)),
  );
  made.addEventListener('change', () => choose(made.value));
  return made;
}
