/** An operator's counter of its jobs: `training_operator_jobs_<name>_total`. */
import { metricSums } from './request-counts.ts';

/** @param url the operator's, without a path */
export async function operatorCounter(url: string, name: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return metricSums(text, `training_operator_jobs_${name}_total`, [])[''] ?? 0;
}
