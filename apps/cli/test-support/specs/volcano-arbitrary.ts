/** What a Volcano Job of a framework needs beyond its schema: the framework's plugin, and tasks with the names in its arguments. */
import fc from 'fast-check';
import { fieldsOf, mostly, name, rarely, text } from './edge-values.ts';
import { isObject, type Json, type JsonObject } from './json.ts';

const TASKS: Readonly<Record<string, readonly string[]>> = {
  tensorflow: ['ps', 'worker', 'chief', 'evaluator'],
  pytorch: ['master', 'worker'],
  mpi: ['master', 'worker'],
  mxnet: ['scheduler', 'server', 'worker'],
  ray: ['head', 'worker'],
};

export interface VolcanoParts {
  readonly plugins: Json;
  readonly tasks: Json;
}

/** @param task a task of the schema, without a fitting name */
export function volcanoParts(framework: string, task: fc.Arbitrary<Json>): fc.Arbitrary<VolcanoParts> {
  const usual = TASKS[framework] ?? ['worker'];
  const names = mostly<readonly string[]>(
    fc.subarray([...usual], { minLength: 1 }),
    fc.array(name, { maxLength: 3 }),
    12,
  );
  const tasks = names.chain((all) => fc.tuple(...all.map((each) => task.map((fields): Json => named(fields, each)))));
  return tasks.chain((all) => {
    const present = usual.filter((each) => all.some((task) => isObject(task) && task.name === each));
    return fc.record({ plugins: pluginsOf(framework, present), tasks: fc.constant<Json>(all) });
  });
}

/** Most tasks have pods. */
function named(task: Json, taskName: string): Json {
  if (!isObject(task)) return task;
  const { replicas = 1 } = task;
  const isSingle = ['master', 'scheduler', 'head', 'chief', 'evaluator'].includes(taskName);
  return {
    ...task,
    name: taskName,
    replicas: isSingle && typeof replicas === 'number' && replicas > 1 ? 1 : replicas,
  } satisfies JsonObject;
}

function pluginsOf(framework: string, tasks: readonly string[]): fc.Arbitrary<Json> {
  const unusual = fc.constantFrom(
    ...['--port=0', '--port=70000', '--port=x', '--port', '-x', '', '--worker=', '--worker=other', '--unknown=1'],
    ...['--master=worker', '--port=23456'],
  );
  const others = fc.array(mostly(unusual, text, 10), { maxLength: 3 });
  const own = mostly<Json>(fc.constant(tasks.map((task) => `--${task}=${task}`)), others, 6);
  const basic = fc.constantFrom<Json[]>(
    ...[[], ['--publish-not-ready-addresses=true'], ['--disable-network-policy=true'], ['--ssh-key-file-path=/x']],
    ...[['--no-root'], ['-x']],
  );
  return fieldsOf({
    [framework]: own,
    svc: rarely(basic, 2),
    ssh: rarely(basic, 3),
    env: rarely(basic, 2),
    other: rarely(basic, 30),
  });
}
