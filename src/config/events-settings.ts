import * as parse from './parse.ts';
import * as parseBroker from './parse-broker.ts';
import { setting } from './setting.ts';

/** The part of the table that is about queues. */
export const EVENTS_SETTINGS = {
  rabbitmqUrl: setting({
    name: 'RABBITMQ_URL',
    roles: ['dispatcher', 'local'],
    secret: true,
    defaultNote: 'in local mode: the embedded bus',
    meaning: 'URL of the message broker (amqp:// or amqps://), with its login and virtual host.',
    parse: parseBroker.brokerUrl,
  }),
  rabbitmqUrlFile: setting({
    name: 'RABBITMQ_URL_FILE',
    roles: ['dispatcher'],
    meaning:
      'File with that URL, in place of RABBITMQ_URL. It is read again at every connect and every 20 s, so that logins may be rotated.',
    parse: parse.text,
  }),
  eventsQueueTemplate: setting({
    name: 'EVENTS_QUEUE_TEMPLATE',
    roles: ['dispatcher', 'local'],
    default: '{namespace}.{queue}',
    roleDefaults: { local: '{queue}' },
    meaning:
      'How the queue that a trigger names is called on that broker. Without {namespace} every tenant can consume every queue.',
    parse: parseBroker.queueTemplate,
  }),
  brokerHosts: setting({
    name: 'BROKER_HOSTS',
    roles: ['dispatcher', 'local'],
    meaning:
      'Hosts that the brokers of tenants (brokerSecret) may be on, separated by commas; *.example.org means all of a domain. Without it: none.',
    parse: parseBroker.hostPatterns,
  }),
} as const;
