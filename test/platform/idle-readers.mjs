import { once } from 'node:events';
import { connect } from 'node:net';

/** Clients that request the OpenAPI document several times and read nothing. A line says that all have an answer. */
const [hostname = '', port, count] = process.argv.slice(2);
const readers = Array.from({ length: Number(count) }, () => {
  const reader = connect(Number(port), hostname);
  reader.on('error', () => undefined).write('GET /openapi.json HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(4));
  return reader;
});
await Promise.all(readers.map((reader) => once(reader, 'readable')));
console.log('All have an answer');
