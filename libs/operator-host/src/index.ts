/** The shell of every operator. Only this package and each app's `app.module.ts` depend on NestJS. */
export { bootstrap, type OperatorApp } from './bootstrap.ts';
export {
  ConfigError,
  dnsName,
  duration,
  names,
  onOff,
  oneOf,
  text,
  wholeNumber,
  type Flag,
  type FlagKind,
  type FlagSet,
  type FlagValues,
} from './flags.ts';
export { loadConfig, OPERATOR_FLAGS, type OperatorConfig } from './config.ts';
export { JobControllerModule, type Framework, type FrameworkFactory } from './job-controller.module.ts';
export * from './tokens.ts';
export type { ClusterAccess } from '@muster/kube';
