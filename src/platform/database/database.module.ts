import { MikroOrmModule } from '@mikro-orm/nestjs';
import { type EntityManager, MikroORM, PostgreSqlDriver, RequestContext } from '@mikro-orm/postgresql';
import { Global, Module } from '@nestjs/common';
import { Settings } from '../config/settings.js';
import { currentRequest } from '../context/request-context.js';
import { CitusWorkersCheck } from './citus-workers.check.js';
import { CitusWorkers } from './citus-workers.js';
import { DatabaseCheck } from './database.check.js';
import { Database } from './database.js';
import { ConnectionPool } from './connection-pool.js';
import { DatabaseClock } from './database-clock.js';
import { ProjectsOfRows } from './in-project.js';
import { MigrationsCheck } from './migrations.check.js';
import { connectionPool, ormOptions } from './orm-options.js';
import { OutageLog } from './outage-log.js';
import { Reads } from './reads.js';
import { OwnWrites } from './replica/own-writes.js';
import { PrimaryPosition } from './replica/primary-position.js';
import { ReadReplica } from './replica/read-replica.js';
import { Statements } from './statements.js';

/** The pool has a module of its own, because the ORM's options need it too. The ORM closes the pool. */
@Module({
  providers: [{ provide: ConnectionPool, useFactory: connectionPool, inject: [Settings] }],
  exports: [ConnectionPool],
})
class PoolModule {}

@Global()
@Module({
  imports: [
    PoolModule,
    MikroOrmModule.forRootAsync({
      driver: PostgreSqlDriver,
      useFactory: (settings: Settings, pool: ConnectionPool) => ({
        ...ormOptions(settings, pool),
        autoLoadEntities: true,
        registerRequestContext: false,
      }),
      inject: [Settings, ConnectionPool],
      imports: [PoolModule],
    }),
  ],
  providers: [
    Database,
    Reads,
    ReadReplica,
    OwnWrites,
    PrimaryPosition,
    DatabaseClock,
    OutageLog,
    DatabaseCheck,
    MigrationsCheck,
    CitusWorkers,
    CitusWorkersCheck,
    ProjectsOfRows,
    {
      provide: Statements,
      useFactory: (pool: ConnectionPool) => new Statements(pool),
      inject: [ConnectionPool],
    },
  ],
  exports: [CitusWorkers, Database, DatabaseClock, OutageLog, OwnWrites, PoolModule, ProjectsOfRows, Reads, Statements],
})
export class DatabaseModule {
  constructor(orm: MikroORM) {
    orm.config.set('context', (name) => entityManagerOfRequest(orm) ?? RequestContext.getEntityManager(name));
  }
}

/**
 * Each request has one entity manager, which is made when it is first needed. Its statements are cancelled together
 * with the request.
 */
function entityManagerOfRequest(orm: MikroORM): EntityManager | undefined {
  const request = currentRequest();
  if (!request) return undefined;
  request.entityManager ??= orm.em.fork({
    disableContextResolution: true,
    signal: request.signal,
    inflightQueryAbortStrategy: 'cancel query',
  }) as EntityManager;
  return request.entityManager;
}
