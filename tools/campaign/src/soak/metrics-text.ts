/** Reads Prometheus' text format. */

/** The sum of all series of this name with these labels; 0 if there is none. */
export function sumOf(text: string, name: string, labels: Readonly<Record<string, string>> = {}): number {
  const wanted = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
  return seriesIn(text)
    .filter((line) => line.startsWith(`${name} `) || line.startsWith(`${name}{`))
    .filter((line) => wanted.every((pair) => line.includes(`{${pair}`) || line.includes(`,${pair}`)))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0);
}

/** The number of series. */
export function lineCount(text: string): number {
  return seriesIn(text).length;
}

function seriesIn(text: string): string[] {
  return text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
}
