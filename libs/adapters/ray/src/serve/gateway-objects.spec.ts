import type { KubeObject } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { changeOf } from '../cluster/object-change.ts';
import { gatewayOf, httpRouteOf, routeProblem } from './gateway-objects.ts';

const SERVICE = { name: 'fruit', namespace: 'shop' };
const BACKENDS = [
  { service: 'fruit-b2b2b-serve-svc', port: 8000, weight: 90 },
  { service: 'fruit-c3c3c-serve-svc', port: 8000, weight: 10 },
];

describe('the objects of an incremental upgrade', () => {
  it('has a Gateway of the class with one HTTP listener', () => {
    expect(gatewayOf(SERVICE, 'istio')).toEqual({
      apiVersion: 'gateway.networking.k8s.io/v1',
      kind: 'Gateway',
      metadata: { name: 'fruit-gateway', namespace: 'shop' },
      spec: { gatewayClassName: 'istio', listeners: [{ name: 'http', protocol: 'HTTP', port: 80 }] },
    });
  });

  it('has a route that splits all paths by weight', () => {
    expect(httpRouteOf(SERVICE, BACKENDS)).toEqual({
      apiVersion: 'gateway.networking.k8s.io/v1',
      kind: 'HTTPRoute',
      metadata: { name: 'fruit-httproute', namespace: 'shop' },
      spec: {
        parentRefs: [{ name: 'fruit-gateway' }],
        rules: [
          {
            matches: [{ path: { type: 'PathPrefix', value: '/' } }],
            backendRefs: [
              { name: 'fruit-b2b2b-serve-svc', port: 8000, weight: 90 },
              { name: 'fruit-c3c3c-serve-svc', port: 8000, weight: 10 },
            ],
          },
        ],
      },
    });
  });

  it('keeps a hostname that a user adds, and reverts a changed weight', () => {
    const wanted = httpRouteOf(SERVICE, BACKENDS);
    const withHost: KubeObject = { ...wanted, spec: { ...wanted.spec, hostnames: ['fruit.example'] } } as KubeObject;
    expect(changeOf(withHost, wanted, ['spec'])).toBeUndefined();
    const edited = httpRouteOf(
      SERVICE,
      BACKENDS.map((backend) => ({ ...backend, weight: 50 })),
    );
    expect(changeOf(edited, wanted, ['spec'])).toEqual({ patch: { spec: wanted.spec } });
  });
});

const GENERATION = 3;

function gateway(...conditions: object[]): KubeObject {
  return { metadata: { name: 'fruit-gateway', generation: GENERATION }, status: { conditions } } as KubeObject;
}

function route(...conditions: object[]): KubeObject {
  const parents = [{ parentRef: { name: 'fruit-gateway' }, conditions }];
  return { metadata: { name: 'fruit-httproute', generation: GENERATION }, status: { parents } } as KubeObject;
}

const isTrue = (type: string, more: object = {}) => ({ type, status: 'True', ...more });
const GOOD_GATEWAY = gateway(isTrue('Accepted'), isTrue('Programmed'));
const GOOD_ROUTE = route(isTrue('Accepted'), isTrue('ResolvedRefs'));

describe('why a route does not have its weights', () => {
  it.each<[what: string, gateway: KubeObject | undefined, route: KubeObject | undefined, expected: string | undefined]>(
    [
      ['accepted by a controller that reports no generation', GOOD_GATEWAY, GOOD_ROUTE, undefined],
      [
        'accepted in this generation',
        gateway(isTrue('Accepted', { observedGeneration: 3 }), isTrue('Programmed', { observedGeneration: 3 })),
        route(isTrue('Accepted', { observedGeneration: 3 }), isTrue('ResolvedRefs', { observedGeneration: 3 })),
        undefined,
      ],
      ['no Gateway', undefined, GOOD_ROUTE, 'the Gateway does not exist yet'],
      ['no route', GOOD_GATEWAY, undefined, 'the HTTPRoute does not exist yet'],
      [
        'no controller of the class',
        gateway({ type: 'Accepted', status: 'Unknown', reason: 'Pending', message: 'Waiting for controller' }),
        GOOD_ROUTE,
        'Gateway fruit-gateway is not Accepted: Pending: Waiting for controller',
      ],
      [
        'a Gateway without an address',
        gateway(isTrue('Accepted'), { type: 'Programmed', status: 'False', reason: 'AddressNotAssigned' }),
        GOOD_ROUTE,
        'Gateway fruit-gateway is not Programmed: AddressNotAssigned',
      ],
      [
        'a Gateway without conditions',
        gateway(),
        GOOD_ROUTE,
        'Gateway fruit-gateway has no condition Accepted: no controller has processed it',
      ],
      [
        'a route that no controller has seen',
        GOOD_GATEWAY,
        { metadata: { name: 'fruit-httproute' } },
        'HTTPRoute fruit-httproute has no condition Accepted: no controller has processed it',
      ],
      [
        'a route of another parent only',
        GOOD_GATEWAY,
        {
          metadata: { name: 'fruit-httproute' },
          status: {
            parents: [{ parentRef: { name: 'edge' }, conditions: [isTrue('Accepted'), isTrue('ResolvedRefs')] }],
          },
        } as KubeObject,
        'HTTPRoute fruit-httproute has no condition Accepted: no controller has processed it',
      ],
      [
        'a missing Service',
        GOOD_GATEWAY,
        route(isTrue('Accepted'), {
          type: 'ResolvedRefs',
          status: 'False',
          reason: 'BackendNotFound',
          message: 'no svc',
        }),
        'HTTPRoute fruit-httproute is not ResolvedRefs: BackendNotFound: no svc',
      ],
      [
        'weights that were just changed',
        GOOD_GATEWAY,
        route(isTrue('Accepted', { observedGeneration: 2 }), isTrue('ResolvedRefs', { observedGeneration: 2 })),
        'its controller has not processed the newest generation of HTTPRoute fruit-httproute',
      ],
    ],
  )('%s', (_what, ofGateway, ofRoute, expected) => {
    expect(routeProblem(ofGateway, ofRoute)).toBe(expected);
  });
});
