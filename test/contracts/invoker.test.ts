import { Agent } from 'undici';
import { createHttpInvoker } from '../../src/adapters/http-invoker.ts';
import { invokerContract } from './invoker.ts';

invokerContract('http', {
  maxBody: 5_000,
  open: (functions) => {
    const dispatcher = new Agent();
    const locate = (namespace: string, name: string) => functions.get(`${namespace}/${name}`);
    return {
      invoker: createHttpInvoker({ dispatcher, locate }, { maxBody: 5_000 }),
      close: () => dispatcher.destroy(),
    };
  },
});
