import { afterAll, beforeAll, describe, test } from 'vitest';
import { type DriverName, drivers } from '../driver.ts';
import { clusterEnvironment } from '../environment.ts';
import { type InstallableEnvironment, isInstallable } from '../installation.ts';
import { kills } from './kills.ts';
import { lostStatuses } from './lost-statuses.ts';
import { namesAgain } from './names-again.ts';
import { namesakes } from './namesakes.ts';
import { ordinaryNames } from './ordinary-names.ts';
import { quietness } from './quietness.ts';
import { quotas } from './quotas.ts';
import { runs } from './runs.ts';
import { createStage, type Stage } from './stage.ts';
import { switching } from './switching.ts';
import { uploads } from './uploads.ts';
import { versions } from './versions.ts';

/** Themes whose scenarios live side by side: each has users of its own, and mostly waits for the cluster. */
const SIDE_BY_SIDE: Readonly<Record<string, (stage: Stage) => void>> = {
  'what takes a minute': quotas,
  namesakes,
  uploads,
  switching,
  versions,
  'names again': namesAgain,
  'ordinary names': ordinaryNames,
  'lost statuses': lostStatuses,
  quietness,
  runs,
};

const environment = clusterEnvironment();
if (isInstallable(environment)) for (const name of drivers(environment)) scenarios(name, environment);
else test.skip('scenarios on a cluster', () => undefined);

/** All that users do and that befalls an installation, with real pods. One installation serves all of it. */
function scenarios(driver: DriverName, given: InstallableEnvironment): void {
  describe(`scenarios, driven by the ${driver}`, { timeout: 400_000 }, () => {
    const stage = createStage(given, driver);
    beforeAll(stage.open, 600_000);
    afterAll(stage.close, 120_000);
    describe.concurrent.each(Object.entries(SIDE_BY_SIDE))('%s', (_, theme) => theme(stage));
    // What all share is killed when nobody else needs it.
    describe('kill -9', () => kills(stage));
  });
}
