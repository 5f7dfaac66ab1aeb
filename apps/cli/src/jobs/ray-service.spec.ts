import type { Event, RayServiceStatus } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { KINDS } from '../kinds.ts';
import { explain } from './explanation.ts';
import { isAbout } from './job-events.ts';
import { jobView } from './job-view.ts';

const kind = KINDS.find(({ definition }) => definition.resource.kind === 'RayService')!;
const node = { template: { spec: { containers: [{ name: 'ray', image: 'ray:2.60.0' }] } } };

const service = (status: RayServiceStatus) => ({
  ...{ apiVersion: 'ray.io/v1', kind: 'RayService' },
  metadata: { name: 'fruit', namespace: 'team', uid: 'u-1', creationTimestamp: '2026-01-01T00:00:00Z' },
  spec: { serveConfigV2: 'applications: []', rayClusterConfig: { headGroupSpec: node } },
  status,
});

const condition = (type: string, status: 'True' | 'False', reason: string, message: string) => ({
  ...{ type, status, reason, message },
  lastTransitionTime: '2026-01-01T00:00:00Z',
});

const explained = (status: RayServiceStatus) =>
  explain({ view: jobView(kind, service(status), []), events: [], nowMs: Date.parse('2026-01-02T00:00:00Z') });

describe('why, of a RayService', () => {
  it('says on how many pods it serves, and which applications run', () => {
    const { headline, findings, next } = explained({
      conditions: [condition('Ready', 'True', 'NonZeroServeEndpoints', 'Pods get requests')],
      numServeEndpoints: 2,
      activeServiceStatus: { rayClusterName: 'fruit-bcdfg', applicationStatuses: { fruit: { status: 'RUNNING' } } },
      muster: { state: 'Running' },
    });
    expect(headline).toBe('serves requests on 2 pods. Pods get requests.');
    expect(findings[0]?.details).toEqual(['Active cluster: fruit-bcdfg.', 'Application fruit: RUNNING.']);
    expect(next).toEqual(['why raycluster/fruit-bcdfg']);
  });

  it('says why it is not ready, with the application, its deployment and the message of Ray Serve', () => {
    const { headline, findings } = explained({
      conditions: [
        condition('Ready', 'False', 'Initializing', 'RayCluster fruit-bcdfg: application fruit is DEPLOY_FAILED'),
        condition('UpgradeInProgress', 'True', 'BothActivePendingClustersExist', 'It waits.'),
      ],
      pendingServiceStatus: {
        rayClusterName: 'fruit-bcdfg',
        applicationStatuses: {
          fruit: {
            status: 'DEPLOY_FAILED',
            serveDeploymentStatuses: {
              Mango: { status: 'UNHEALTHY', message: 'Traceback:\n  no module' },
              Orange: { status: 'HEALTHY' },
            },
          },
        },
      },
      muster: { state: 'Created' },
    });
    expect(headline).toBe('is not ready (Initializing): RayCluster fruit-bcdfg: application fruit is DEPLOY_FAILED');
    expect(findings[0]?.details).toEqual([
      'Pending cluster: fruit-bcdfg.',
      'Application fruit: DEPLOY_FAILED: Mango UNHEALTHY (Traceback: no module).',
      'Upgrade: It waits.',
    ]);
  });
});

describe('events of a RayService', () => {
  it.each([
    ['RayCluster', 'fruit-bcdfg', true],
    ['Pod', 'fruit-bcdfg-head-0', true],
    ['Pod', 'other-bcdfg-head-0', false],
  ])('include those of its clusters and their pods: %s %s', (regarded, name, expected) => {
    const status = { pendingServiceStatus: { rayClusterName: 'fruit-bcdfg' } };
    const found = { kind, name: 'fruit', namespace: 'team', manifest: service(status) };
    const event = { regarding: { kind: regarded, name, uid: 'other' }, eventTime: '2026-01-01T00:00:01Z' };
    expect(isAbout(found as never, [], event as Event)).toBe(expected);
  });
});
