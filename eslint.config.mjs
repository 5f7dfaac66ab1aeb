// Lint of the whole workspace. It needs the project graph, which Nx creates when it runs the target `lint`. `depConstraints` below is the
// layer table of docs/architecture.md: an import upward is an error.
import nx from '@nx/eslint-plugin';
import prettier from 'eslint-config-prettier';
import tseslint from 'typescript-eslint';

/** Which layers each layer may import; the same table as in docs/architecture.md. */
const LAYERS = {
  'job-api': [],
  metrics: [],
  'kubernetes-yaml': [],
  kube: ['job-api', 'metrics', 'kubernetes-yaml'],
  controller: ['kube', 'job-api', 'metrics'],
  probes: ['controller', 'kube', 'job-api'],
  'program-output': [],
  'time-accounts': ['job-api'],
  'common-job-controller': ['program-output', 'time-accounts', 'probes', 'controller', 'kube', 'job-api', 'metrics'],
  recording: ['common-job-controller', 'controller', 'kube', 'job-api', 'metrics'],
  shadow: ['common-job-controller', 'controller', 'kube', 'job-api', 'metrics'],
  'front-end': ['common-job-controller', 'job-api', 'metrics'],
  adapter: ['front-end', 'shadow', 'common-job-controller', 'program-output', 'job-api', 'metrics', 'kubernetes-yaml'],
  'operator-host': ['recording', 'shadow', 'controller', 'common-job-controller', 'kube', 'job-api', 'metrics'],
  app: ['operator-host', 'front-end', 'adapter'],
  cli: [
    'app',
    'adapter',
    'front-end',
    'recording',
    'shadow',
    'common-job-controller',
    'program-output',
    'time-accounts',
    'kube',
    'job-api',
    'metrics',
    'kubernetes-yaml',
    'tool',
  ],
  testing: ['kube', 'job-api', 'metrics'],
  chart: ['chart', 'app', 'operator-host', 'adapter', 'front-end', 'common-job-controller', 'job-api', 'metrics'],
  tool: ['tool', 'kube', 'job-api', 'metrics', 'kubernetes-yaml'],
};

/** Tests need the harness, which itself consists of the layers that it tests. */
const CIRCLES_OF_TESTS = [
  ['@muster/kube', '@muster/testing'],
  ['@muster/job-api', '@muster/testing'],
  ['@muster/kubernetes-yaml', '@muster/testing'],
  ['@muster/fault-injection', '@muster/testing'],
];

/** The table as a boundary rule; `extra` are layers that all may import as well. */
const boundaries = (extra = []) => [
  'error',
  {
    ignoredCircularDependencies: extra.length > 0 ? CIRCLES_OF_TESTS : [],
    enforceBuildableLibDependency: false,
    allow: [],
    depConstraints: Object.entries(LAYERS).map(([layer, below]) => ({
      sourceTag: `layer:${layer}`,
      onlyDependOnLibsWithTags: [...below, ...extra].map((tag) => `layer:${tag}`),
    })),
  },
];

const NEST_ONLY_IN_THE_SHELL = {
  group: ['@nestjs/*'],
  message: 'Only libs/operator-host and app.module.ts know NestJS.',
};
const METRICS_BY_DECLARATION = {
  group: ['prom-client'],
  importNames: ['Counter', 'Gauge', 'Histogram', 'Summary'],
  message: 'Declare the metric in libs/metrics, and make it by its declaration.',
};
const DEEP_IMPORT = {
  group: ['@muster/*/*', '!@muster/common-job-controller/testing', '!@muster/*/flags', '!@muster/campaign/page'],
  message: "Import a package's public surface, not its files.",
};

export default tseslint.config(
  { ignores: ['**/dist/**', 'node_modules/**', 'reports/**', '.nx/**'] },
  {
    files: ['**/*.ts', '**/*.mts'],
    extends: [...tseslint.configs.recommendedTypeChecked],
    plugins: { '@nx': nx },
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@nx/enforce-module-boundaries': boundaries(),
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      eqeqeq: ['error', 'always'],
      'no-console': 'error',
      'no-restricted-imports': ['error', { patterns: [NEST_ONLY_IN_THE_SHELL, METRICS_BY_DECLARATION, DEEP_IMPORT] }],
      'max-lines-per-function': ['error', { max: 60, skipBlankLines: true, skipComments: true }],
    },
  },
  {
    files: ['libs/operator-host/**/*.ts', 'apps/*/src/app.module.ts'],
    rules: {
      'no-restricted-imports': ['error', { patterns: [METRICS_BY_DECLARATION, DEEP_IMPORT] }],
      // A Nest module is a class that has only a decorator.
      '@typescript-eslint/no-extraneous-class': 'off',
    },
  },
  {
    files: ['libs/metrics/**/*.ts'],
    rules: { 'no-restricted-imports': ['error', { patterns: [NEST_ONLY_IN_THE_SHELL, DEEP_IMPORT] }] },
  },
  {
    files: ['**/*.spec.ts', '**/test-support/**/*.ts', 'libs/testing/**/*.ts', 'tools/verify/**/*.ts'],
    rules: {
      '@nx/enforce-module-boundaries': boundaries(['testing', 'tool', 'kube', 'job-api', 'adapter']),
      'max-lines-per-function': 'off',
    },
  },
  {
    // The specs read a chart's output with the operator's own parser of flags.
    files: ['tools/charts/**/*.spec.ts'],
    rules: {
      '@nx/enforce-module-boundaries': boundaries([
        'testing',
        'tool',
        'kube',
        'job-api',
        'adapter',
        'app',
        'operator-host',
      ]),
    },
  },
  { files: ['apps/cli/**/*.ts', 'tools/**/*.ts'], rules: { 'no-console': 'off' } },
  prettier,
);
