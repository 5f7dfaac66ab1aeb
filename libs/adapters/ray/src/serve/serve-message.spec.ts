/** Messages as Ray Serve 2.60 reports them. */
import { describe, expect, it } from 'vitest';
import { serveMessage } from './serve-message.ts';

const DOCS = '\n    For further information visit https://errors.pydantic.dev/2.14/v/missing';

describe('a message of Ray Serve in one line', () => {
  it.each<[what: string, text: string, expected: string]>([
    ['empty', '', ''],
    ['short', "The deployments ['Sick'] are UNHEALTHY.", "The deployments ['Sick'] are UNHEALTHY."],
    [
      'over several lines',
      "Deployment 'Slow' in application 'a' has 1 replicas that have taken more than 30s to initialize.\nThis may be caused by a slow __init__ or reconfigure method.",
      "Deployment 'Slow' in application 'a' has 1 replicas that have taken more than 30s to initialize. This may be caused by a slow __init__ or reconfigure method.",
    ],
    [
      'a module that cannot be imported',
      'Deploying app \'a\' failed with exception:\nTraceback (most recent call last):\n  File "/ray/serve/_private/application_state.py", line 926, in _reconcile_build_app_task\n    serialized, args, err = ray.get(\n                            ^^^^^^^^\n  File "<frozen importlib._bootstrap>", line 1140, in _find_and_load_unlocked\nModuleNotFoundError: No module named \'nomodule\'\n',
      "ModuleNotFoundError: No module named 'nomodule'",
    ],
    [
      'a traceback in another one, with colours',
      'Traceback (most recent call last):\n  File "a.py", line 1, in f\nValueError: first\n\nThe above exception was the direct cause of the following exception:\n\nTraceback (most recent call last):\n  File "b.py", line 2, in g\n\u001B[36mRuntimeError\u001B[39m: no weights at s3://models/none',
      'RuntimeError: no weights at s3://models/none',
    ],
    [
      'a traceback without an error',
      'Traceback (most recent call last):\n  File "a.py"',
      'Traceback (most recent call last): File "a.py"',
    ],
    [
      'a config without applications',
      `1 validation error for ServeDeploySchema\napplications\n  Field required [type=missing, input_value={}, input_type=dict]${DOCS}`,
      'applications: Field required',
    ],
    [
      'a config that is a list',
      `1 validation error for ServeDeploySchema\n  Input should be a valid dictionary [type=model_type, input_value=[], input_type=list]${DOCS}`,
      'Input should be a valid dictionary',
    ],
    [
      'two errors of validation',
      `2 validation errors for ServeDeploySchema\napplications.0.import_path\n  Field required [type=missing, input_value={'name': 'a'}, input_type=dict]${DOCS}\ntarget_capacity\n  Input should be less than or equal to 100 [type=less_than_equal, input_value=120, input_type=int]${DOCS}`,
      'applications.0.import_path: Field required; target_capacity: Input should be less than or equal to 100',
    ],
    ['long', `${'x'.repeat(400)}end`, `…${'x'.repeat(297)}end`],
  ])('%s', (_what, text, expected) => {
    expect(serveMessage(text)).toBe(expected);
  });
});
