/** Colours by their names in dashboards, in the current theme. */

/** Colours of series in order. Distinguishable on light and dark backgrounds, also with most forms of colour blindness. */
const SERIES_COLORS = [
  '#4c8bd8',
  '#e08a2e',
  '#3fa66b',
  '#c95596',
  '#b9a22c',
  '#8a6fd1',
  '#2fa8a8',
  '#d0533f',
  '#7f8a97',
  '#93623a',
];

const NAMED: Readonly<Record<string, string>> = {
  red: '#d64545',
  orange: '#e58a1f',
  yellow: '#d4ae13',
  green: '#3c9d5d',
  blue: '#3d7fd0',
  purple: '#8f63c9',
  gray: '#8a929c',
  grey: '#8a929c',
  white: '#ffffff',
  black: '#000000',
};

export function seriesColor(index: number): string {
  return SERIES_COLORS[index % SERIES_COLORS.length] ?? '#888888';
}

/** `green`, `dark-green`, `#3a3`; undefined for `text` and `transparent`, which keep the page's colour. */
export function namedColor(name: string | undefined): string | undefined {
  if (name === undefined || name === 'text' || name === 'transparent') return undefined;
  const [, shade, base = name] = /^(super-light|light|semi-dark|dark)-(\w+)$/.exec(name) ?? [];
  const known = NAMED[base] ?? name;
  const mixed = { 'super-light': 'white 45%', light: 'white 22%', 'semi-dark': 'black 12%', dark: 'black 28%' }[
    shade ?? ''
  ];
  return mixed === undefined ? known : `color-mix(in srgb, ${known}, ${mixed})`;
}

/** A colour of the style sheet, for a canvas. */
export function themeColor(variable: '--text' | '--faint' | '--grid' | '--panel'): string {
  return canvasColor(`var(${variable})`);
}

/** Cache of red, green and blue (0 to 255) in the current theme. */
const computed = new Map<string, readonly number[]>();

/** Call when the theme changes, because names then mean other colours. */
export function forgetColors(): void {
  computed.clear();
}

/** Any CSS colour in the format of a canvas, with an opacity from 0 to 1. */
export function canvasColor(color: string, opacity = 1): string {
  const known = computed.get(color) ?? compute(color);
  computed.set(color, known);
  return `rgba(${known.join(', ')}, ${opacity})`;
}

function compute(color: string): number[] {
  const probe = document.createElement('span');
  probe.style.color = color;
  document.body.append(probe);
  const text = getComputedStyle(probe).color;
  probe.remove();
  const numbers = (text.match(/[\d.]+/g) ?? []).slice(0, 3).map(Number);
  // `color(srgb 0.2 0.5 0.3)` has a maximum of 1, `rgb(…)` of 255.
  return numbers.map((each) => Math.round(text.startsWith('color(') ? each * 255 : each));
}
