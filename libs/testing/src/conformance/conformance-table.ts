import { accountingCases } from './accounting-cases.ts';
import { annotationCases } from './annotation-cases.ts';
import { cleanUpCases } from './clean-up-cases.ts';
import type { ConformanceCase } from './conformance-case.ts';
import { deletionCases } from './deletion-cases.ts';
import { failurePolicyCases } from './failure-policy-cases.ts';
import { firstFailureCases } from './first-failure-cases.ts';
import { limitCases } from './limit-cases.ts';
import { migrationCases } from './migration-cases.ts';
import { namingCases } from './naming-cases.ts';
import { podLossCases } from './pod-loss-cases.ts';
import { refusalCases } from './refusal-cases.ts';
import { restartCases } from './restart-cases.ts';
import { otherControllerCases } from './other-controller-cases.ts';
import { scalingCases } from './scaling-cases.ts';
import { startOrderCases } from './start-order-cases.ts';
import { suspensionCases } from './suspension-cases.ts';
import { upstreamSchemaCases } from './upstream-schema-cases.ts';
import { wideCases } from './wide-cases.ts';

export type ConformanceTable = Readonly<Record<string, readonly ConformanceCase[]>>;

export const CONFORMANCE_TABLE: ConformanceTable = {
  'a job that is deleted': deletionCases,
  'a pod that is lost': podLossCases,
  'the number of replicas': scalingCases,
  'a wide job': wideCases,
  'restarts and their limit': restartCases,
  'a failure policy': failurePolicyCases,
  'the first failure': firstFailureCases,
  'start order': startOrderCases,
  'suspension and other managers': suspensionCases,
  'deadlines, time to live and the clock': limitCases,
  'the pods of a finished job': cleanUpCases,
  refusals: refusalCases,
  'annotations of a job': annotationCases,
  'concurrent operators and clients': otherControllerCases,
  'the names of jobs and pods': namingCases,
  'events and counters': accountingCases,
  "taking over from kubeflow's operator": migrationCases,
  "upstream's CustomResourceDefinition": upstreamSchemaCases,
};
