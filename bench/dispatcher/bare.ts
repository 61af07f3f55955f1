/** What anyone would write: amqplib, and a POST with node:http for each message. Arguments: URL, queue, prefetch, target. */
import { Agent, request } from 'node:http';
import { connect } from 'amqplib';

const [url = '', queue = '', prefetch = '', target = ''] = process.argv.slice(2);
const model = await connect(url, { noDelay: true });
const channel = await model.createChannel();
await channel.prefetch(Number(prefetch));
const agent = new Agent({ keepAlive: true });
await channel.consume(queue, (message) => {
  if (message === null) return;
  const { content } = message;
  const headers = { 'content-type': 'application/json', 'content-length': content.length };
  request(target, { method: 'POST', agent, headers }, (response) => {
    response.resume().on('end', () => channel.ack(message));
  }).end(content);
});
console.log('port 0');
process.stdin.resume().on('end', () => process.exit(0));
