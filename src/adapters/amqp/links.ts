import type { SlessError } from '../../errors.ts';
import type { BrokerAddress } from '../../ports/message-bus.ts';
import { seatsOf } from './aside.ts';
import { Link, type LinkUser } from './link.ts';

/** A user of a connection that can be the one whose message breaks it. */
export interface SuspectUser extends LinkUser {
  /** It is alone on its connection, which a message broke again. */
  suspect?(problem: SlessError): void;
}

/** Connections to brokers, shared by those who use the same broker. */
export interface Links {
  /** Answers how to leave. */
  join(broker: BrokerAddress, user: SuspectUser): () => Promise<void>;
  close(): Promise<void>;
}

interface LinksOptions {
  /** Users of one connection, at most; fewer where the broker allows it fewer channels. */
  readonly limit: number;
  readonly name: string;
}

/** Into so many are the users of a connection parted that one of them breaks: two hundred are told apart in three rounds. */
const PARTS = 8;

/**
 * What breaks a connection befalls all of its users. A message that the library cannot read does so again and again, since the broker hands it
 * over anew: then its users are parted, until the one whose message it is has a connection alone.
 */
export function createLinks({ limit, name }: LinksOptions): Links {
  const links = new Map<string, Set<Link>>();
  const seats = new Map<SuspectUser, Link>();
  /** What each broker allowed last, of users of one connection. */
  const allowed = new Map<string, number>();

  const make = (broker: BrokerAddress): Link => {
    const link: Link = new Link({
      url: () => broker.url(),
      name: `${name} ${broker.id}`.trimEnd(),
      opened: (model) => {
        allowed.set(broker.id, seatsOf(model));
        // A broker says how many channels it allows when somebody has connected.
        for (const user of [...link.users].slice(mostOf(broker))) {
          link.remove(user);
          seat(broker, user);
        }
      },
      unreadable: (problem) => part(broker, link, problem),
    });
    links.set(broker.id, (links.get(broker.id) ?? new Set()).add(link));
    return link;
  };
  const mostOf = ({ id }: BrokerAddress): number => Math.min(limit, allowed.get(id) ?? limit);
  const seat = (broker: BrokerAddress, user: SuspectUser): void => {
    const most = mostOf(broker);
    const known = [...(links.get(broker.id) ?? [])];
    const link = known.find((one) => one.users.size < most && !one.isSuspect) ?? make(broker);
    seats.set(user, link);
    link.add(user);
  };
  const part = (broker: BrokerAddress, link: Link, problem: SlessError): void => {
    // Whoever joined has come through `join`.
    const users = [...link.users] as SuspectUser[];
    if (users.length === 1) users[0]?.suspect?.(problem);
    const size = Math.ceil(users.length / PARTS);
    for (let from = size; from < users.length; from += size) {
      const apart = make(broker);
      for (const user of users.slice(from, from + size)) {
        link.remove(user);
        seats.set(user, apart);
        apart.add(user);
      }
    }
  };
  const leave = async (id: string, user: SuspectUser): Promise<void> => {
    const link = seats.get(user);
    seats.delete(user);
    link?.remove(user);
    if (link === undefined || link.users.size > 0) return;
    const ofBroker = links.get(id);
    ofBroker?.delete(link);
    if (ofBroker?.size === 0) for (const known of [links, allowed]) known.delete(id);
    await link.close();
  };

  return {
    join(broker, user) {
      seat(broker, user);
      return () => leave(broker.id, user);
    },
    async close() {
      const all = [...links.values()].flatMap((ofBroker) => [...ofBroker]);
      links.clear();
      seats.clear();
      await Promise.all(all.map((link) => link.close()));
    },
  };
}
