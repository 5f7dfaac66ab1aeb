import type { Container } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { isGpuLauncher } from './gpu-launcher.ts';

describe('a launcher', () => {
  it.each<[resources: Container['resources'][], isGpu: boolean]>([
    [[{ limits: { 'nvidia.com/gpu': '1' } }], true],
    [[{ limits: { 'example.com/gpu': '1' } }], true],
    [[{ limits: { 'aliyun.com/gpu-mem': '4' } }], true],
    [[{}, { limits: { cpu: '1', 'nvidia.com/gpu': '1' } }], true],
    [[{ limits: { cpu: '1', memory: '1Gi' } }], false],
    [[{ requests: { 'nvidia.com/gpu': '1' } }], false],
    [[{ limits: {} }, {}], false],
    [[], false],
  ])('with %j is a GPU launcher: %s', (all, isGpu) => {
    const containers = all.map((resources, index) => ({ name: `c${index}`, ...(resources && { resources }) }));
    expect(isGpuLauncher({ containers })).toBe(isGpu);
  });
});
