import type { ErrorCode, SlessError } from '../../errors.ts';
import type { Logger } from '../../ports/logger.ts';
import type { ResponseHead } from '../../upstream/response-head.ts';
import type { SwitchedConnection, UpstreamCall, UpstreamEvents } from '../../upstream/upstream.ts';
import type { Ids } from '../caller/ids.ts';
import { logCall } from './access-log.ts';
import type { Admitted } from './admitted.ts';
import { AnswerRelay } from './answer-relay.ts';
import { busy } from './busy.ts';
import { type CallLog, endSpan, recordCall } from './call-log.ts';
import { requestHead } from './front/request-head.ts';
import type { ProxySettings } from './options.ts';
import { Place, type PlaceDeps } from './place.ts';
import { NOT_IN_TIME, type Refusal, refuse, tooLarge } from './refusal.ts';
import { BodyPump, collectBody, isCollected, isStreamed } from './request-body.ts';
import type { Expiring, Running } from './running.ts';
import { type CallReport, countCall } from './stats.ts';
import { openTunnel, switchingHead } from './tunnel.ts';

/** What all exchanges of a proxy share. */
export interface ExchangeDeps extends PlaceDeps {
  readonly settings: ProxySettings;
  readonly ids: Ids;
  readonly now: () => number;
  readonly logger: Logger;
  readonly running: Running;
  readonly calls: CallLog | undefined;
  draining(): boolean;
  refused(refusal: Refusal): void;
}

/** One call of a function, from admission to the end of whatever came of it. */
export class Exchange implements UpstreamEvents, Expiring {
  slot = -1;
  expiresAt = 0;
  readonly #deps: ExchangeDeps;
  readonly #in: Admitted;
  readonly #relay: AnswerRelay;
  readonly #place: Place;
  readonly #started: number;
  #call: UpstreamCall | undefined;
  #pump: BodyPump | undefined;
  #tunnel: SwitchedConnection | undefined;
  #waitingFor: 'caller' | 'function' = 'function';
  #status = 0;
  #reason: ErrorCode | undefined;
  #answered = false;
  #over = false;

  constructor(deps: ExchangeDeps, admitted: Admitted) {
    this.#deps = deps;
    this.#in = admitted;
    this.#place = new Place(deps, admitted);
    this.#started = deps.now();
    this.#relay = new AnswerRelay(admitted.request, admitted.response, () => {
      this.#alive('function');
      this.#call?.resume();
    });
  }

  start(): void {
    const { request, response, framing, route } = this.#in;
    this.#deps.running.add(this);
    route.stats.inFlight += 1;
    response.on('close', () => this.close());
    if (framing.kind !== 'length' || !isCollected(framing)) this.#dispatch(undefined, isStreamed(framing));
    else {
      this.#alive('caller', this.#started);
      this.#continue();
      collectBody(request, framing.length, {
        keep: (bytes) => {
          if (this.#settled()) return false;
          const isKept = this.#place.keep(bytes);
          if (!isKept) this.#giveUp(busy('arrivals'));
          return isKept;
        },
        done: (body) => this.#collected(body),
      });
    }
  }

  /** Ends it at once, whatever it is doing. */
  kill(): void {
    this.#call?.abort();
    this.#tunnel?.socket.destroy();
    this.#in.response.destroy();
    this.close();
  }

  expire(): void {
    if (this.#tunnel !== undefined || this.#in.response.headersSent) {
      if (this.#answered) this.#reason ??= 'FunctionTimeout';
      this.kill();
    } else if (this.#waitingFor === 'caller') {
      this.#giveUp(NOT_IN_TIME);
    } else {
      const seconds = this.#in.route.timeoutMs / 1000;
      this.#giveUp({ code: 'FunctionTimeout', message: `the function did not answer within ${seconds} s` });
    }
  }

  ready(call: UpstreamCall): void {
    this.#call = call;
    const { request, framing } = this.#in;
    if (framing.kind === 'none' || this.#pump !== undefined || !isStreamed(framing)) return;
    const options = { chunked: framing.kind === 'chunked', limit: this.#deps.settings.maxBody };
    this.#pump = new BodyPump({ request, call }, options, {
      progress: (waitingFor) => this.#alive(waitingFor),
      tooLarge: () => this.#giveUp(tooLarge(this.#deps.settings.maxBody)),
      done: () => {
        this.#place.uploaded();
        this.#alive('function');
      },
    });
    this.#alive('caller');
    this.#continue();
    this.#pump.start();
  }

  information(head: ResponseHead): void {
    this.#relay.information(head, this.#in.sharedHost);
  }

  head(head: ResponseHead): void {
    const { requestId, sharedHost, upgrade } = this.#in;
    this.#answered = true;
    this.#status = head.status;
    this.#alive('function');
    const close = upgrade !== undefined || this.#deps.draining();
    this.#relay.head(head, { requestId, sharedHost, close });
  }

  body(bytes: Buffer, lent: boolean): void {
    this.#relay.body(bytes, lent);
  }

  flush(): boolean {
    // Until the head what a pod says is no sign of life: the limit counts to the head, however slowly that comes.
    if (this.#answered) this.#alive('function');
    return this.#relay.flush();
  }

  end(): boolean {
    this.#call = undefined;
    if (this.#pump?.over === false) this.#pump.discard();
    return this.#relay.end();
  }

  switched(head: ResponseHead, pod: SwitchedConnection): void {
    const { upgrade, response } = this.#in;
    if (upgrade === undefined) return;
    this.#status = head.status;
    this.#call = undefined;
    this.#tunnel = pod;
    response.detachSocket(upgrade.socket);
    upgrade.socket.write(switchingHead(head, this.#in), 'latin1');
    this.#alive('function');
    openTunnel(
      { caller: upgrade.socket, early: upgrade.takeEarly(), pod },
      { progress: () => this.#alive('function'), closed: () => this.close() },
    );
  }

  failed(error: SlessError): void {
    this.#call = undefined;
    if (this.#relay.begun) {
      this.#reason = error.code;
      this.kill();
    } else this.#giveUp({ code: error.code, message: error.message });
  }

  /** Everything that is still held is let go; counted and logged once. */
  close(): void {
    if (this.#over) return;
    this.#over = true;
    const { running, settings, calls } = this.#deps;
    this.#call?.abort();
    this.#pump?.stop();
    running.remove(this);
    this.#place.leave();
    const report = this.#report();
    countCall(this.#in.route.stats, report);
    if (calls !== undefined) recordCall(calls, this.#in, report);
    if (this.#in.span !== undefined) endSpan(this.#in.span, report);
    if (settings.accessLog) logCall(this.#deps.logger, this.#in, report);
  }

  /** A small body is there: only now the call takes a place. */
  #collected(body: Buffer): void {
    if (this.#settled()) return;
    const reached = this.#place.take();
    if (reached === undefined) this.#dispatch(body, false);
    else this.#giveUp(busy(reached));
  }

  /** Whether what still comes of the body is of no use. */
  #settled(): boolean {
    return this.#over || this.#in.response.headersSent;
  }

  #dispatch(body: Buffer | undefined, streamed: boolean): void {
    if (this.#over) return;
    const { request, route } = this.#in;
    this.#alive('function');
    const head = requestHead(this.#in);
    const method = request.method ?? 'GET';
    const upgrade = this.#in.upgrade !== undefined;
    const call = route.upstream.call({ method, head, body, streamed, upgrade }, this);
    if (!this.#over && !this.#answered) this.#call = call;
  }

  #continue(): void {
    if (this.#in.expectsContinue) this.#in.response.writeContinue();
  }

  /**
   * The time limit begins anew: the request was handed over, or something moved of what has no other bound. A body on its
   * way in is bounded by silence, an answer after its head too; from the one to the other nothing calls this.
   */
  #alive(waitingFor: 'caller' | 'function', time = this.#deps.now()): void {
    this.#waitingFor = waitingFor;
    const { settings } = this.#deps;
    this.expiresAt = time + (waitingFor === 'caller' ? settings.bodyIdleMs : this.#in.route.timeoutMs);
  }

  #giveUp(refusal: Refusal): void {
    this.#call?.abort();
    this.#call = undefined;
    this.#pump?.stop();
    this.#deps.refused(refusal);
    this.#reason = refusal.code;
    refuse(this.#in, refusal);
    this.#status = this.#in.response.statusCode;
    // From here on only the caller is waited for, and not for long.
    this.#alive('caller');
  }

  /** What is counted and logged of it. */
  #report(): CallReport {
    const { framing } = this.#in;
    return {
      status: this.#status,
      reason: this.#reason,
      milliseconds: this.#deps.now() - this.#started,
      bytesIn: this.#pump?.bytes ?? (framing.kind === 'length' ? framing.length : 0),
      bytesOut: this.#relay.bytes,
    };
  }
}
