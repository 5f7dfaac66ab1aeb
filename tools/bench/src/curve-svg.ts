/** How something grows with the size of a load, as a picture: one line for Muster, one for the floor. Both axes begin at 0. */

export interface CurvePoint {
  readonly pods: number;
  readonly seconds: number;
  readonly floorSeconds: number;
}

const WIDTH = 720;
const HEIGHT = 400;
const LEFT = 60;
const RIGHT = 110;
const TOP = 40;
const BOTTOM = 50;
const TICKS = 5;

/** @param points of which there is at least one, in order of size */
export function curveSvg(title: string, points: readonly CurvePoint[]): string {
  const right = roundUp(Math.max(...points.map(({ pods }) => pods)));
  const top = roundUp(Math.max(...points.flatMap(({ seconds, floorSeconds }) => [seconds, floorSeconds])));
  const x = (pods: number) => at(LEFT + (pods / right) * (WIDTH - LEFT - RIGHT));
  const y = (seconds: number) => at(HEIGHT - BOTTOM - (seconds / top) * (HEIGHT - TOP - BOTTOM));
  const line = (name: string, style: string, of: (point: CurvePoint) => number) => {
    const last = points.at(-1)!;
    return [
      `<polyline class="${style}" points="${points.map((point) => `${x(point.pods)},${y(of(point))}`).join(' ')}"/>`,
      ...points.map((point) => `<circle class="${style}" cx="${x(point.pods)}" cy="${y(of(point))}" r="3"/>`),
      `<text x="${at(x(last.pods) + 8)}" y="${at(y(of(last)) + 4)}">${name}</text>`,
    ];
  };
  const ticks = Array.from({ length: TICKS + 1 }, (_tick, index) => index / TICKS);
  const lines = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${title}">`,
    '<style>',
    'text { font: 13px sans-serif; fill: #57606a } polyline { fill: none; stroke-width: 2 }',
    '.grid { stroke: #8c959f; stroke-opacity: 0.3 } .middle { text-anchor: middle } .end { text-anchor: end }',
    'polyline.muster { stroke: #0969da } circle.muster { fill: #0969da }',
    'polyline.floor { stroke: #8c959f } circle.floor { fill: #8c959f }',
    '</style>',
    `<text x="${LEFT}" y="22">${title}</text>`,
    ...ticks.flatMap((share) => [
      `<line class="grid" x1="${LEFT}" y1="${y(top * share)}" x2="${WIDTH - RIGHT}" y2="${y(top * share)}"/>`,
      `<text class="end" x="${LEFT - 8}" y="${at(y(top * share) + 4)}">${short(top * share)}</text>`,
      `<text class="middle" x="${x(right * share)}" y="${HEIGHT - BOTTOM + 20}">${short(right * share)}</text>`,
    ]),
    `<text class="middle" x="${at((LEFT + WIDTH - RIGHT) / 2)}" y="${HEIGHT - 8}">pods</text>`,
    `<text x="8" y="${TOP - 6}">seconds</text>`,
    ...line('floor', 'floor', ({ floorSeconds }) => floorSeconds),
    ...line('Muster', 'muster', ({ seconds }) => seconds),
    '</svg>',
  ];
  return `${lines.join('\n')}\n`;
}

/** To a number that five steps divide well. */
function roundUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 1.5, 2, 2.5, 3, 4, 5, 7.5, 10].map((factor) => factor * power).find((each) => each >= value)!;
}

function at(value: number): number {
  return Number(value.toFixed(1));
}

function short(value: number): string {
  return String(Number(value.toFixed(2)));
}
