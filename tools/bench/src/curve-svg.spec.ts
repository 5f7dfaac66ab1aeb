import { expect, it } from 'vitest';
import { curveSvg } from './curve-svg.ts';

const POINTS = [
  { pods: 100, seconds: 2, floorSeconds: 1 },
  { pods: 1000, seconds: 18, floorSeconds: 10 },
];

it('draws one line for Muster and one for the floor, from the axes to the last point', () => {
  const svg = curveSvg('jobs of 10 pods', POINTS);
  // 1000 pods are at the right end of the axis, and 18 s just below its top, which is 20 s.
  expect(svg).toContain('<polyline class="muster" points="115,319 610,71"/>');
  expect(svg).toContain('<polyline class="floor" points="115,334.5 610,195"/>');
  expect(svg).toContain('>20<');
  expect(svg.match(/<circle/g)).toHaveLength(4);
});
