import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { runContainer } from '../../src/local/pod/container-run.ts';
import { createFileLogs } from '../../src/local/process/file-logs.ts';
import { LogFile } from '../../src/local/process/log-file.ts';
import { type PodLogsSubject, podLogsContract } from '../contracts/pod-logs.ts';
import { openMachine } from './runner.ts';

const NAMESPACE = 'logs';

/** Processes as pods run them, and nothing else of local mode. */
async function open(): Promise<PodLogsSubject> {
  const machine = await openMachine();
  await machine.cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } });
  const endings: (() => Promise<void>)[] = [];
  return {
    logs: createFileLogs({ cluster: machine.cluster, folder: machine.logsFolder }),
    async run(program) {
      const pod = `p-${randomUUID().slice(0, 8)}`;
      const container = 'function';
      await machine.cluster.create({
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: pod, namespace: NAMESPACE },
        spec: { containers: [{ name: container, image: 'x' }] },
      });
      const cwd = join(machine.folder, pod);
      await mkdir(cwd);
      const log = new LogFile({
        path: join(machine.logsFolder, NAMESPACE, pod, `${container}.log`),
        maxBytes: 1e6,
      });
      const argv = [process.execPath, '-e', program];
      let [ended, kill] = [false, () => {}];
      const live = async (): Promise<void> => {
        while (!ended) {
          const run = runContainer(machine, { argv, cwd, env: { STATE: cwd } }, log);
          kill = () => run.kill('SIGKILL');
          await run.ended;
        }
      };
      const life = live();
      endings.push(async () => {
        ended = true;
        kill();
        await life;
        log.destroy();
      });
      return { namespace: NAMESPACE, pod, container };
    },
    async close() {
      await Promise.all(endings.map((end) => end()));
      await machine.close();
    },
  };
}

podLogsContract('files of local mode', open, { slowMs: 10_000 });
