import { describe, expect, it } from 'vitest';
import { programText, serveImport } from './simulated-program.ts';
import { SimulatedRay } from './simulated-ray.ts';

const SERVICE = { metadata: {}, spec: { selector: { ray: 'head' } } };
const READY = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
const PROGRAM = programText({ exitCode: 0, afterMs: 1_000 });

class Place {
  nowMs = 0;
  readonly ray = new SimulatedRay(() => this.nowMs);

  constructor() {
    this.put('services', 'head-svc', 's', SERVICE);
    this.head('first');
  }

  put(
    resource: string,
    name: string,
    uid: string,
    object?: { readonly metadata?: object; readonly [field: string]: unknown },
  ): void {
    const after = object && {
      ...object,
      metadata: { namespace: 'team', name, uid, ...object.metadata },
    };
    const change = { revision: 1, atMs: 0, resource, namespace: 'team', name, before: { metadata: { uid } } };
    this.ray.note({ ...change, ...(after && { after }) });
  }

  head(uid: string): void {
    this.put('pods', 'head', uid, { metadata: { labels: { ray: 'head' } }, status: READY });
  }

  submitter(phase: string, command = 'no program'): void {
    const env = [
      { name: 'RAY_JOB_SUBMISSION_ID', value: 'job-1' },
      { name: 'RAY_DASHBOARD_ADDRESS', value: 'head-svc.team.svc:8265' },
    ];
    this.put('pods', 'submitter', 'submitter', {
      spec: { containers: [{ command: [command], env }] },
      status: { phase },
    });
  }

  send(method: string, path: string, body: object = {}, target = 'services/head-svc:8265') {
    const url = `/api/v1/namespaces/team/${target}/proxy${path}`;
    const request = { method, path: url, query: new URLSearchParams(), watch: false, receivedMs: 0 };
    return this.ray.answer(request, JSON.stringify(body));
  }

  submit(jobId = 'job-1') {
    return this.send('POST', '/api/jobs/', { submission_id: jobId, entrypoint: `python ${PROGRAM}` });
  }

  job(jobId = 'job-1') {
    return this.send('GET', `/api/jobs/${jobId}`);
  }
}

describe('SimulatedRay', () => {
  it('leaves requests for objects to the API server', () => {
    const request = { method: 'GET', path: '/api/v1/namespaces/team/pods/a', query: new URLSearchParams() };
    expect(new Place().ray.answer({ ...request, watch: false, receivedMs: 0 }, '')).toBeUndefined();
  });

  it('runs a submitted job until its program ends, and refuses a second one with its id', () => {
    const place = new Place();
    expect(place.job()).toMatchObject({ code: 404 });
    expect(place.submit()).toMatchObject({ code: 200 });
    expect(place.submit()).toMatchObject({ code: 500, body: expect.stringContaining('already exists') as string });
    expect(place.job()).toMatchObject({ body: { status: 'RUNNING' } });
    place.nowMs = 1_000;
    expect(place.job()).toMatchObject({ body: { status: 'SUCCEEDED' } });
    expect(place.ray.runs).toEqual([{ namespace: 'team', jobId: 'job-1', succeeds: true, endMs: 1_000 }]);
  });

  it('stops a running job', () => {
    const place = new Place();
    place.submit();
    place.send('POST', '/api/jobs/job-1/stop');
    place.nowMs = 2_000;
    expect(place.job()).toMatchObject({ body: { status: 'STOPPED' } });
  });

  it('loses jobs with their head, and is unavailable without one', () => {
    const place = new Place();
    place.submit();
    place.put('pods', 'head', 'first');
    expect(place.job()).toMatchObject({ code: 503, body: { kind: 'Status' } });
    place.head('second');
    expect(place.job()).toMatchObject({ code: 404, body: 'Job job-1 does not exist' });
  });

  it('accepts the job of a running submitter, also if the head is ready only later', () => {
    const place = new Place();
    place.submitter('Pending', PROGRAM);
    expect(place.job()).toMatchObject({ code: 404 });
    place.put('pods', 'head', 'first');
    place.submitter('Running', PROGRAM);
    place.head('second');
    expect(place.job()).toMatchObject({ body: { status: 'RUNNING' } });
  });

  it('runs applications of Ray Serve some time after their config, and reports those that cannot start', () => {
    const place = new Place();
    const deploy = (works: boolean) =>
      place.send('PUT', '/api/serve/applications/', {
        applications: [{ name: 'fruit', import_path: serveImport(works) }],
      });
    const health = () => place.send('GET', '/-/healthz', {}, 'pods/head:8000')?.code;
    const status = () => place.send('GET', '/api/serve/applications/')?.body;
    deploy(true);
    expect([health(), status()]).toMatchObject([503, { applications: { fruit: { status: 'DEPLOYING' } } }]);
    place.nowMs = 5_000;
    expect([health(), status()]).toMatchObject([200, { applications: { fruit: { status: 'RUNNING' } } }]);
    deploy(false);
    place.nowMs = 50_000;
    expect([health(), status()]).toMatchObject([503, { applications: { fruit: { status: 'DEPLOY_FAILED' } } }]);
  });
});
