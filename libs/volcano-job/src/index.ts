/** Maps the tasks and plugins of Volcano Jobs to the engine's roles, pods and owned resources. */
export { amount, port, task, text, type Values } from './arguments/flags.ts';
export { readArguments } from './arguments/read-arguments.ts';
export { addressesOf, addressOf } from './model/hosts.ts';
export { VOLCANO_LABELS } from './model/volcano-labels.ts';
export { replicasOf, taskNamed, type VolcanoTask, type VolcanoTasks } from './model/volcano-tasks.ts';
export { addedPort, inContainers, inOrder, withEnv, withPort, withVolume, type PodChange } from './pods/pod-change.ts';
export { waitFlags, waitingFor } from './pods/wait-container.ts';
export { frameworkOf } from './plugins/chosen-plugins.ts';
export { FRAMEWORK_PLUGINS, frameworkPlugin, type FrameworkPlugin } from './plugins/framework-plugin.ts';
export { CONFIG_MAPS, configMap } from './plugins/svc.ts';
export { volcanoJobAdapter, volcanoJobAdapters } from './volcano-job-adapter.ts';
