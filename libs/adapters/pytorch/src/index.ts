export { pytorchAdapter } from './pytorch-adapter.ts';
export { pytorchPlugin } from './volcano-plugin.ts';
export { ELASTIC_VARIABLES, type ElasticVariable } from './elastic-variables.ts';
export { initContainerTemplate, TemplateError } from './init-container-template.ts';
export {
  DEFAULT_INIT_CONTAINER,
  settingsOfRecord,
  type InitContainerSettings,
  type InitContainerTemplate,
} from './init-container.ts';
