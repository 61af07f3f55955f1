import { kubeconfig } from '../../../src/adapters/kubernetes/kubeconfig.ts';
import { type RealCluster, realCluster } from '../adapter.ts';
import { type Cleanup, createCleanup } from '../cleanup.ts';
import type { DriverName } from '../driver.ts';
import { type InstallableEnvironment, type Installation, install } from '../installation.ts';
import { type Kubectl, kubectl } from '../kubectl.ts';
import { createTenant, type Tenant } from '../tenant.ts';

/** What all scenarios of one driver share: an installation, and the cluster as its administrator sees it. */
export interface Stage {
  readonly driver: DriverName;
  readonly admin: Kubectl;
  readonly real: RealCluster;
  readonly cleanup: Cleanup;
  sless(): Installation;
  /** A user of its own for a scenario; the namespace goes with the stage. */
  tenant(): Promise<Tenant>;
  open(): Promise<void>;
  close(): Promise<void>;
}

export function createStage(environment: InstallableEnvironment, driver: DriverName): Stage {
  const cleanup = createCleanup();
  const real = realCluster(kubeconfig({ path: environment.kubeconfig }));
  let installed: Installation | undefined;
  const sless = (): Installation => {
    if (installed === undefined) throw new Error('nothing is installed yet');
    return installed;
  };
  return {
    driver,
    admin: kubectl(environment.kubeconfig),
    real,
    cleanup,
    sless,
    tenant: async () => {
      const tenant = await createTenant(sless(), environment.kubeconfig);
      cleanup.add(`namespace ${tenant.namespace}`, tenant.drop);
      return tenant;
    },
    open: async () => {
      cleanup.add('connection', () => real.connection.close());
      installed = await install(environment, driver);
      cleanup.add('installation', installed.close);
    },
    close: () => cleanup.run(),
  };
}
