import { newest } from './ledger-newest.mjs';
import { serveProgram } from './serve-program.mjs';

/** The floor of `bench/ledger.mjs`: node:http and pg, without key, limit or log. */

serveProgram((request, response) => {
  void newest(new URL(request.url ?? '', 'http://floor').searchParams).then((body) => {
    response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': body.length }).end(body);
  });
});
