/** `muster shadow report` with the answers of operators. */
import { describe, expect, it } from 'vitest';
import { apiStub, denied, listOf } from '../../test-support/api-stub.ts';
import { muster } from '../../test-support/command-line.ts';

const operatorPod = (name: string, args: readonly string[]) => ({
  metadata: { name, namespace: 'muster', uid: name },
  spec: { containers: [{ name: 'operator', args, ports: [{ name: 'http', containerPort: 9090 }] }] },
  status: { phase: 'Running' },
});

const where = { namespace: 'team', job: 'mnist' };
const REPORT = {
  framework: 'pytorch',
  kinds: [
    {
      ...{ kind: 'PyTorchJob', seen: 3, jobs: { waiting: 1, same: 0, documented: 1, unknown: 1 }, sameValues: 70 },
      documented: [
        {
          row: 'every-kind: Services',
          jobs: 2,
          example: { ...where, field: 'Services', theirs: 'one per replica', ours: 'one per job' },
        },
      ],
      unknown: [{ ...where, field: 'end', theirs: 'Failed', ours: 'Running' }],
      times: [
        { step: 'create Pod', jobsByLaterSeconds: { 0: 2 } },
        { step: 'Running', jobsByLaterSeconds: { 4: 1, 11: 1, '-1': 1 } },
      ],
    },
  ],
};
const PROXY = 'GET /api/v1/namespaces/muster/pods/shadow:9090/proxy/shadow';

function answers(request: string): object | undefined {
  const pods = [operatorPod('shadow', ['--port=9090', '--shadow=true']), operatorPod('real', ['--shadow=false'])];
  if (request === 'GET /api/v1/pods') return listOf(...pods);
  return request === PROXY ? REPORT : undefined;
}

describe('muster shadow report', () => {
  it('prints jobs, documented rows and unknown differences of each kind', async () => {
    const { kubeconfig } = await apiStub(answers);
    const { code, out } = await muster(['shadow', 'report', '--kubeconfig', kubeconfig]).ended;
    expect(code).toBe(0);
    expect(out).toMatch(/^PyTorchJob +3 +0 +1 +1 +1 +70$/m);
    expect(out).toMatch(/^ {2}every-kind: Services +2 +Services +one per replica +one per job +team\/mnist$/m);
    expect(out).toMatch(/^ {2}end +Failed +Running +team\/mnist$/m);
    expect(out).toMatch(
      /^ {2}STEP +JOBS +LEAST +MEDIAN +MOST\n {2}create Pod +2 +0 +0 +0\n {2}Running +3 +-1 +4 +11$/m,
    );
    expect(out).toContain('1 jobs have differences that are not documented. Please report them. 1 wait');
  });

  it('reads the jobs of one namespace, as JSON', async () => {
    const { kubeconfig, requests } = await apiStub(answers);
    const args = ['shadow', 'report', '-n', 'team', '-o', 'json', '--kubeconfig', kubeconfig];
    const { out } = await muster(args).ended;
    expect(JSON.parse(out)).toEqual([REPORT]);
    expect(requests.map(({ line }) => line)).toContain(`${PROXY}?namespace=team`);
  });

  it('says what to install if no operator is in shadow mode', async () => {
    const { kubeconfig } = await apiStub((request) => (request === 'GET /api/v1/pods' ? listOf() : undefined));
    const { code, err } = await muster(['shadow', 'report', '--kubeconfig', kubeconfig]).ended;
    expect(code).toBe(5);
    expect(err).toContain(
      'No running operator is in shadow mode. Install one beside the other operator, with shadow.enabled=true',
    );
  });

  it('needs only the rights in the namespace of the operators', async () => {
    const { kubeconfig } = await apiStub((request) => (request === 'GET /api/v1/pods' ? denied('list') : undefined));
    const { code, err } = await muster(['shadow', 'report', '--kubeconfig', kubeconfig]).ended;
    expect(code).toBe(7);
    expect(err).toContain('--operator-namespace');
  });
});
