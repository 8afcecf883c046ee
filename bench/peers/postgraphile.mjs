import { createServer } from 'node:http';
import { postgraphile } from 'postgraphile';
import { makePgService } from 'postgraphile/adaptors/pg';
import { grafserv } from 'postgraphile/grafserv/node';
import { PostGraphileAmberPreset } from 'postgraphile/presets/amber';

/** PostGraphile 5 on the table of the naive service, which has the index that the page needs. */

const { DATABASE_URL = '', DATABASE_POOL } = process.env;
const server = createServer();
await postgraphile({
  extends: [PostGraphileAmberPreset],
  pgServices: [
    makePgService({
      connectionString: DATABASE_URL,
      schemas: ['bench_graph'],
      poolConfig: { max: Number(DATABASE_POOL) },
    }),
  ],
  grafserv: { graphiql: false, watch: false },
  grafast: { explain: false },
})
  .createServ(grafserv)
  .addTo(server);
server.listen(0, '127.0.0.1', () => {
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  process.send?.({ type: 'ready', url: `http://127.0.0.1:${port}/graphql` });
});
process.once('disconnect', () => process.exit());
process.once('SIGTERM', () => process.exit());
