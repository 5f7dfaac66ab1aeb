import { createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { ADDRESS_PLANS, addressPlan, cidrsOverlap, isPortFree, pickAddressIndex, pickPorts } from './address-plan.ts';

const everyPortIsFree = () => Promise.resolve(true);

describe('ports', () => {
  it('gives each component its own port', async () => {
    const ports = Object.values(await pickPorts(new Set(), everyPortIsFree));
    expect(new Set(ports).size).toBe(5);
  });

  it('skips ports that another cluster has recorded, even while they are free', async () => {
    const taken = new Set(Object.values(await pickPorts(new Set(), everyPortIsFree)));
    const ports = Object.values(await pickPorts(taken, everyPortIsFree));
    expect(ports.filter((port) => taken.has(port))).toEqual([]);
  });

  it('skips ports on which another process listens', async () => {
    const ports = await pickPorts(new Set(), (port) => Promise.resolve(port % 2 === 0));
    expect(Object.values(ports).every((port) => port % 2 === 0)).toBe(true);
  });

  it('says what to do when no port is left', async () => {
    await expect(pickPorts(new Set(), () => Promise.resolve(false))).rejects.toThrow(
      /stop other clusters or other programs/,
    );
  });

  it('sees a listener on the loopback address', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    expect(await isPortFree(port)).toBe(false);
    await new Promise((resolve) => server.close(resolve));
    expect(await isPortFree(port)).toBe(true);
  });
});

describe('addresses', () => {
  it('never overlap between two clusters', () => {
    const networks = Array.from({ length: ADDRESS_PLANS }, (_, index) => addressPlan(index)).flatMap((plan) => [
      `${plan.hostAddress}/${plan.linkPrefix}`,
      plan.podCidr,
      plan.serviceCidr,
    ]);
    const clashes = networks.filter((one, index) =>
      networks.some((other, place) => place !== index && cidrsOverlap(one, other)),
    );
    expect(clashes).toEqual([]);
  });

  it('put the addresses of the API server and of cluster DNS into the service range', () => {
    const plan = addressPlan(3);
    expect(cidrsOverlap(plan.apiServiceAddress, plan.serviceCidr)).toBe(true);
    expect(cidrsOverlap(plan.dnsServiceAddress, plan.serviceCidr)).toBe(true);
  });

  it('skip slices that clusters have or that this machine routes', () => {
    expect(pickAddressIndex(new Set([0]), ['192.168.0.1/24', '10.214.16.9/28'])).toBe(2);
  });

  it('say what to do when the machine routes the whole plan', () => {
    expect(() => pickAddressIndex(new Set(), ['10.0.0.0/8'])).toThrow(/cluster down/);
  });

  it.each([
    ['10.0.0.0/8', '10.200.1.1', true],
    ['10.0.0.0/30', '10.0.0.4/30', false],
    ['192.168.0.0/16', '10.0.0.0/8', false],
  ])('know whether %s and %s overlap', (one, other, expected) => {
    expect(cidrsOverlap(one, other)).toBe(expected);
  });
});
