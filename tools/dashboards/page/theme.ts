/** Light or dark: the setting of the system, until the user changes it. */
import { forgetColors } from './color.ts';
import { element } from './element.ts';

const KEY = 'theme';

/** @param changed is called when the colours change */
export function themeButton(changed: () => void): HTMLElement {
  const apply = () => {
    document.documentElement.style.colorScheme = localStorage.getItem(KEY) ?? 'light dark';
    forgetColors();
  };
  apply();
  const system = matchMedia('(prefers-color-scheme: dark)');
  system.addEventListener('change', () => {
    forgetColors();
    changed();
  });
  const button = element('button', { type: 'button', title: 'Light or dark', 'aria-label': 'Light or dark' }, '◐');
  button.addEventListener('click', () => {
    const isDark = (localStorage.getItem(KEY) ?? (system.matches ? 'dark' : 'light')) === 'dark';
    localStorage.setItem(KEY, isDark ? 'light' : 'dark');
    apply();
    changed();
  });
  return button;
}
