import { MikroOrmModule } from '@mikro-orm/nestjs';
import { type EntityManager, MikroORM, PostgreSqlDriver, RequestContext } from '@mikro-orm/postgresql';
import { Global, Module } from '@nestjs/common';
import { Settings } from '../config/settings.js';
import { currentRequest } from '../context/request-context.js';
import { Database } from './database.js';
import { ormOptions } from './orm-options.js';
import { Reads } from './reads.js';
import { Statements } from './statements.js';

@Global()
@Module({
  imports: [
    MikroOrmModule.forRootAsync({
      driver: PostgreSqlDriver,
      useFactory: (settings: Settings) => ({
        ...ormOptions(settings),
        autoLoadEntities: true,
        registerRequestContext: false,
      }),
      inject: [Settings],
    }),
  ],
  providers: [
    Database,
    Reads,
    {
      provide: Statements,
      useFactory: (orm: MikroORM) => new Statements(() => orm.em.getDriver().getConnection().getNativeClient()),
      inject: [MikroORM],
    },
  ],
  exports: [Database, Reads, Statements],
})
export class DatabaseModule {
  constructor(orm: MikroORM) {
    orm.config.set('context', (name) => entityManagerOfRequest(orm) ?? RequestContext.getEntityManager(name));
  }
}

/** One a request, made when it is first needed; what it asks for entities is cancelled when the request is. */
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
