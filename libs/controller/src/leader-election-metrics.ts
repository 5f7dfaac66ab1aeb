/** `leader_election_master_status`, named and labelled as client-go's. One per registry. */
import { Gauge, type Registry } from 'prom-client';

const gauges = new WeakMap<Registry, Gauge<'name'>>();

export function masterStatus(registry: Registry): Gauge<'name'> {
  let gauge = gauges.get(registry);
  if (gauge === undefined) {
    gauge = new Gauge({
      name: 'leader_election_master_status',
      help: 'Whether this process leads: 1, else 0',
      labelNames: ['name'],
      registers: [registry],
    });
    gauges.set(registry, gauge);
  }
  return gauge;
}
