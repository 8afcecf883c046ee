import 'reflect-metadata';
import { defineEntity, MikroORM, p } from '@mikro-orm/postgresql';
import { Controller, Get, Module, Query } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';

/** A first design: Nest, an entity and `findAndCount`, on the same calls, with the index that it needs. */

const Call = defineEntity({
  name: 'NaiveCall',
  tableName: 'naive_call',
  properties: {
    id: p.string().primary(),
    projectId: p.string(),
    ts: p.datetime(),
    ...Object.fromEntries(
      ['model', 'agentName', 'provider', 'environment', 'status', 'sessionId', 'callId', 'traceId', 'eventId'].map(
        (name) => [name, p.string()],
      ),
    ),
    ...Object.fromEntries(
      ['source', 'sourceSubtype', 'sourceLabel', 'sourceSubtypeLabel', 'sourceId', 'channel', 'channelType'].map(
        (name) => [name, p.string().nullable()],
      ),
    ),
    ...Object.fromEntries(
      ['inputTokens', 'cachedTokens', 'completionTokens', 'reasoningTokens', 'outputTokens', 'totalTokens'].map(
        (name) => [name, p.integer()],
      ),
    ),
    latencyMs: p.integer(),
    timeToFirstTokenMs: p.integer().nullable(),
    streamingUsed: p.boolean(),
    cost: p.double(),
    statusCode: p.integer(),
  },
});

const orm = new MikroORM({
  clientUrl: process.env.DATABASE_URL ?? '',
  entities: [Call],
  pool: { max: Number(process.env.DATABASE_POOL) },
});

class Calls {
  /** @param {Record<string, string>} query */
  async list({ project = '', fromDate = '', toDate = '', limit = '100' }) {
    const where = { projectId: project, ts: { $gte: new Date(fromDate), $lt: new Date(toDate) } };
    const options = { limit: Number(limit), orderBy: { ts: 'desc', id: 'desc' } };
    const [generations, total] = await orm.em
      .fork()
      .findAndCount(Call, /** @type {any} */ (where), /** @type {any} */ (options));
    return { success: true, statusCode: 200, total, generations };
  }
}

class Root {}

const list = /** @type {PropertyDescriptor} */ (Object.getOwnPropertyDescriptor(Calls.prototype, 'list'));
Controller()(Calls);
Get()(Calls.prototype, 'list', list);
Query()(Calls.prototype, 'list', 0);
Module({ controllers: [Calls] })(Root);

const app = await NestFactory.create(Root, { logger: false });
await app.listen(0, '127.0.0.1');
process.send?.({ type: 'ready', url: await app.getUrl() });
process.once('disconnect', () => process.exit());
