import type { VolcanoJob, VolcanoTaskSpec } from '@muster/job-api';
import { task, text } from '../src/arguments/flags.ts';
import { frameworkPlugin } from '../src/plugins/framework-plugin.ts';

export const TEMPLATE = { spec: { containers: [{ name: 'main', image: 'registry.example/main:1' }] } };

/** The task `worker` decides. */
export const PLAIN_PLUGIN = frameworkPlugin({
  name: 'tensorflow',
  flags: { worker: task('worker', ''), note: text('', '') },
  needs: ['svc'],
  inJob: (_job, { worker, note }) => ({
    problems: [],
    deciding: worker,
    pod: () => (spec) => (note === '' ? spec : { ...spec, nodeName: note }),
  }),
});

type Tasks = Readonly<Record<string, Partial<VolcanoTaskSpec>>>;

/** `pi`, of two workers unless `tasks` are given. */
export function volcanoJob(
  spec: Partial<VolcanoJob['spec']> = {},
  tasks: Tasks = { worker: { replicas: 2 } },
): VolcanoJob & { spec: VolcanoJob['spec'] } {
  return {
    metadata: { name: 'pi', namespace: 'team', uid: '11111111-2222-3333-4444-555555555555', generation: 1 },
    spec: {
      plugins: { tensorflow: [] },
      tasks: Object.entries(tasks).map(([name, fields]) => ({ name, replicas: 1, template: TEMPLATE, ...fields })),
      ...spec,
    },
  };
}
