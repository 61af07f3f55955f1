import type { Clock } from '../../ports/clock.ts';
import type { Cluster } from '../../ports/cluster.ts';
import type { Logger } from '../../ports/logger.ts';
import type { RuntimeCatalogue } from '../../runtimes/catalogue.ts';
import type { Images } from '../build/images.ts';
import type { Ports } from '../process/ports.ts';
import type { ProcessRecords } from '../process/records.ts';

/** What pods need of the machine. */
export interface PodDeps {
  readonly cluster: Cluster;
  readonly images: Images;
  readonly runtimes: RuntimeCatalogue;
  readonly ports: Ports;
  readonly records: ProcessRecords;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Each pod has `<logsFolder>/<namespace>/<pod>/<container>.log` and a folder of its own under `temporaryFolder`. */
  readonly logsFolder: string;
  readonly temporaryFolder: string;
  /** The PATH on which runtimes are looked for. */
  readonly machinePath: string | undefined;
}
