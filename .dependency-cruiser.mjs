/** The folders of the engine, from low to high. A folder may import itself and those before it; imports of types count. */
const ENGINE_FOLDERS = [
  'model',
  'contract',
  'world',
  'pods',
  'progress',
  'owned-resources',
  'network',
  'workloads',
  'failures',
  'restarts',
  'replicas',
  'gang',
  'queueing',
  'elastic',
  'status',
  'policies',
  'children',
  'finalize',
  'metrics',
  'reconcile',
  'gauges',
  'operator',
];

const ENGINE = '^libs/common-job-controller/src/';
const inFolders = (folders) => `${ENGINE}(${folders.join('|')})/`;
// A spec may import set-up from any folder.
const SPECS = '\\.spec\\.ts$';

const engineLayers = ENGINE_FOLDERS.map((folder, at) => ({
  name: `engine-layer-${folder}`,
  severity: 'error',
  from: { path: inFolders([folder]), pathNot: SPECS },
  to: { path: ENGINE, pathNot: inFolders(ENGINE_FOLDERS.slice(0, at + 1)) },
}));

export default {
  forbidden: [
    // No import cycles, types included: files in a cycle cannot be read or changed separately.
    { name: 'no-cycle', severity: 'error', from: {}, to: { circular: true } },
    ...engineLayers,
    {
      name: 'engine-folder-without-layer',
      comment: 'Add the folder to ENGINE_FOLDERS in .dependency-cruiser.mjs and to the table in docs/architecture.md.',
      severity: 'error',
      from: { path: `${ENGINE}[^/]+/`, pathNot: inFolders(ENGINE_FOLDERS) },
      to: {},
    },
  ],
  options: {
    // Imports of types count.
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default'] },
  },
};
