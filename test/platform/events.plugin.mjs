// A plugin with a durable listener. It counts its calls in the database, and the first call for a session never ends.
import { Injectable, Module } from '@nestjs/common';
import { Database, defineSlipwayConfig, OnEvent, SessionCreated } from 'slipway/plugin';

class Counting {
  /** @param {Database} database */
  constructor(database) {
    this.database = database;
  }

  /** @param {{ sessionId: string }} event @param {import('slipway/plugin').JobRun<object>} job */
  async count({ sessionId }, job) {
    await this.database.transaction({ kind: 'system' }, (tx) =>
      tx.em.execute('insert into counted (session_id, job_id) values (?, ?)', [sessionId, job.id]),
    );
    if (job.attempt === 1) await new Promise(() => {});
    await job.finish((tx) => tx.em.execute('insert into finished (session_id) values (?)', [sessionId]));
  }
}
Injectable()(Counting);
Reflect.defineMetadata('design:paramtypes', [Database], Counting);
OnEvent(SessionCreated, { durable: true })(
  Counting.prototype,
  'count',
  Object.getOwnPropertyDescriptor(Counting.prototype, 'count') ?? {},
);

class CountingModule {}
Module({ providers: [Counting] })(CountingModule);

export default defineSlipwayConfig({
  plugins: [{ name: 'counting', slipway: '*', modules: async () => [CountingModule] }],
});
