import type { Pool, PoolClient } from 'pg';

type Release = PoolClient['release'];

/**
 * The query builder gives a transaction's connection back only where COMMIT or ROLLBACK succeeded. One that dies, or
 * stops answering, inside a transaction would stay lent for ever, until the pool had none left: here the pool takes
 * it back and makes a new one.
 */
export function takeBackDeadConnections(pool: Pool): void {
  pool.on('connect', (client: PoolClient) => {
    makeReleaseRepeatable(client);
    client.once('end', () => client.release(true));
  });
}

/** Whoever comes second, we or the builder, finds it done. The pool sets a new function each time it lends the client. */
function makeReleaseRepeatable(client: PoolClient): void {
  let current: Release = () => undefined;
  Object.defineProperty(client, 'release', {
    get: () => current,
    set: (release: Release) => {
      let isReleased = false;
      current = (destroy) => {
        if (isReleased) return;
        isReleased = true;
        release(destroy);
      };
    },
  });
}
