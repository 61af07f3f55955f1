import type { Socket } from 'node:net';
import type { ResponseHead } from '../../upstream/response-head.ts';
import type { SwitchedConnection } from '../../upstream/upstream.ts';
import { type AnswerContext, informationFields } from './front/response-fields.ts';

/** The two ends of a connection that changed its protocol. */
export interface TunnelEnds {
  readonly caller: Socket;
  /** What the caller has sent already. */
  readonly early: Buffer;
  readonly pod: SwitchedConnection;
}

export interface TunnelEvents {
  /** Bytes passed. */
  progress(): void;
  /** Both ends are gone. */
  closed(): void;
}

/** Bytes on their way to the pod: beyond, the caller is not read from. */
const HIGH_WATER = 256 * 1024;

/** The 101 as the caller gets it. */
export function switchingHead(
  head: ResponseHead,
  { requestId, sharedHost }: Pick<AnswerContext, 'requestId' | 'sharedHost'>,
): string {
  const upgrade = head.fields.findIndex((name, i) => i % 2 === 0 && name.toLowerCase() === 'upgrade');
  return (
    `HTTP/1.1 101 ${head.reason}\r\n${informationFields(head, sharedHost)}Connection: Upgrade\r\n` +
    `${upgrade < 0 ? '' : `Upgrade: ${head.fields[upgrade + 1]}\r\n`}X-Request-Id: ${requestId}\r\n\r\n`
  );
}

/** Carries bytes both ways, each end as fast as the other takes them, until one is gone. */
export function openTunnel({ caller, early, pod }: TunnelEnds, events: TunnelEvents): void {
  let pending = 0;
  const toPod = (bytes: Buffer): void => {
    events.progress();
    pending += bytes.length;
    if (pending >= HIGH_WATER) caller.pause();
    pod.socket.write(bytes, () => {
      pending -= bytes.length;
      if (pending < HIGH_WATER && caller.isPaused()) caller.resume();
    });
  };
  if (early.length > 0) toPod(early);
  caller.on('data', toPod);
  caller.on('drain', () => pod.resume());
  caller.on('end', () => pod.socket.end());
  caller.on('error', () => pod.socket.destroy());
  caller.on('close', () => {
    pod.socket.destroy();
    events.closed();
  });
  pod.socket.on('end', () => caller.end());
  pod.socket.on('close', () => caller.destroySoon());
  pod.receive((bytes) => {
    events.progress();
    return caller.write(Buffer.from(bytes));
  });
  caller.resume();
}
