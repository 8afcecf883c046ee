import { MikroOrmModule } from '@mikro-orm/nestjs';
import { defineEntity, EntityManager, type InferEntity, LockMode, p } from '@mikro-orm/postgresql';
import { Body, Controller, Module, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { z } from 'zod';
import { AppModule } from '../../src/app.module.js';
import { agentsErrors } from '../../src/modules/agents/agents.errors.js';
import { columnsOf, newRow, type RowOf } from '../../src/platform/database/columns.js';
import {
  Administrator,
  type AdminActor,
  AdminRoute,
  Agent,
  andInRange,
  Audited,
  clock,
  data,
  Database,
  defineList,
  id,
  type Id,
  mapPage,
  page,
  PathId,
  type RequestOf,
  row,
  rows,
  sql,
} from '../../src/plugin.js';
import { makeAgent } from '../agents/make.js';
import { administratorOf, makeTenant } from '../support/actors.js';
import { type Answer, faultsAt } from '../support/client.js';
import { startService } from '../support/service.js';
import { entriesIn } from './audit-entries.js';

/** A remark on an agent, as a plugin would define it: no class is written by hand, and the key is no id. */
const Remark = defineEntity({
  name: 'Remark',
  tableName: 'acme_remark',
  properties: {
    number: p.integer().primary().autoincrement(),
    agent: () => p.manyToOne(Agent).deleteRule('cascade').ref(),
    text: p.text(),
    author: p.string(),
    stars: p.smallint().nullable(),
    createdAt: p.datetime(),
  },
});
type Remark = InferEntity<typeof Remark>;
Audited({ kind: 'remark', project: 'agent.app.project', target: 'agent', secrets: ['text'] })(Remark);

const remarkList = defineList(Remark, {
  key: 'number',
  sorts: { createdAt: 'number', text: 'text', author: 'author', stars: 'stars' },
  filters: { stars: z.coerce.number().int() },
});
type RemarksRequest = RequestOf<typeof remarkList>;

/** The same rows, of which a statement reads the pages. */
const remarkRows = defineList(Remark, { key: 'number', sorts: { createdAt: 'createdAt' }, order: 'desc' });
type RemarkRowsRequest = RequestOf<typeof remarkRows>;

const text = z.string().meta({ examples: ['Answers too long'] });
const author = z.string().meta({ examples: ['Ada'] });
const stars = z.int().nullable();
const View = z.object({ number: z.int().meta({ examples: [1] }), agentId: id('agent'), text, author, stars });
const NewRemark = z.strictObject({ text, author, stars: stars.default(null) });
type NewRemark = z.output<typeof NewRemark>;

const toView = ({ number, agent, text, author, stars = null }: Remark): z.infer<typeof View> => {
  return { number, agentId: agent.id, text, author, stars };
};

@ApiTags('Remarks')
@Controller()
class RemarksController {
  constructor(
    private readonly database: Database,
    private readonly em: EntityManager,
  ) {}

  @AdminRoute('POST /apps/{appId}/agents/{agentId}/remarks', {
    summary: 'Remark on an agent',
    returns: data(View),
    status: 201,
    errors: [agentsErrors.agentNotFound],
  })
  create(
    @Administrator() actor: AdminActor,
    @PathId('app') appId: Id<'app'>,
    @PathId('agent') agentId: Id<'agent'>,
    @Body({ schema: NewRemark }) body: NewRemark,
  ) {
    return this.database.transaction(actor, async (tx) => {
      const where = { id: agentId, app: { id: appId } };
      const agent = await tx.em.findOne(Agent, where, { lockMode: LockMode.PESSIMISTIC_READ });
      if (!agent) throw agentsErrors.agentNotFound();
      const remark = tx.em.create(Remark, { ...body, agent, createdAt: clock.now() });
      await tx.em.flush();
      return toView(remark);
    });
  }

  @AdminRoute('GET /apps/{appId}/agents/{agentId}/remarks', {
    summary: 'List the remarks on an agent',
    returns: page(View),
  })
  async list(
    @PathId('app') appId: Id<'app'>,
    @PathId('agent') agentId: Id<'agent'>,
    @Query({ schema: remarkList.query }) request: RemarksRequest,
  ) {
    const within = { agent: { id: agentId, app: { id: appId } } };
    return mapPage(await remarkList.page(this.em.getRepository(Remark), within, request), toView);
  }

  @AdminRoute('GET /apps/{appId}/agents/{agentId}/remark-rows', {
    summary: 'List the remarks on an agent, newest first',
    returns: page(View),
  })
  async listRows(
    @PathId('app') appId: Id<'app'>,
    @PathId('agent') agentId: Id<'agent'>,
    @Query({ schema: remarkRows.query }) request: RemarkRowsRequest,
  ) {
    const found = await remarkRows.pageOfRows({ appId, agentId }, request, (range) =>
      this.database.ask(
        rows<RowOf<Remark>>(
          sql`select ${columnsOf(Remark)} from acme_remark where agent_id = ${agentId} ${andInRange('number', range)}`,
        ),
      ),
    );
    return mapPage(found, ({ number, agentId: of, text, author, stars = null }) => {
      return { number, agentId: of, text, author, stars };
    });
  }
}

@Module({ imports: [AppModule, MikroOrmModule.forFeature([Remark])], controllers: [RemarksController] })
class Root {}

const service = await startService({}, Root);
await service.database.rows(`
  create table acme_remark (
    number integer generated by default as identity primary key,
    agent_id text collate "C" not null references agent on delete cascade,
    text text not null,
    author varchar(255) not null,
    stars smallint,
    created_at timestamptz not null
  )`);
const admin = administratorOf(service);
const tenant = await makeTenant(service);
afterAll(() => service.stop());

type Row = z.infer<typeof View>;
interface List {
  data: Row[];
  meta: { nextCursor: string | null };
}

/** Makes an agent with remarks, and returns its path and id. */
async function remarked(...texts: string[]): Promise<{ agentId: string; path: string }> {
  const { agentId } = await makeAgent(service, tenant.appId);
  const path = `/api/admin/v1/apps/${tenant.appId}/agents/${agentId}`;
  for (const [at, text] of texts.entries()) {
    const stars = at === 0 ? null : at;
    expect(await admin.post(`${path}/remarks`, { text, author: `${text.at(-1)} Person`, stars })).toMatchObject({
      outcome: '201',
    });
  }
  return { agentId, path };
}

async function inParts(path: string, query: Record<string, string>): Promise<string[]> {
  const texts: string[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const answer: Answer<List> = await admin.get<List>(path, {
      query: { ...query, limit: '2', ...(cursor !== '' && { cursor }) },
    });
    expect(answer.outcome).toBe('200');
    texts.push(...answer.body.data.map(({ text }) => text));
    cursor = answer.body.meta.nextCursor;
  }
  return texts;
}

it('is sorted, filtered and read page by page, also by a statement', async () => {
  const { path } = await remarked('second', 'Third', 'first');
  const cases: [query: Record<string, string>, texts: string[]][] = [
    [{}, ['second', 'Third', 'first']],
    [{ order: 'desc' }, ['first', 'Third', 'second']],
    [{ sort: 'text' }, ['first', 'second', 'Third']],
    [{ sort: 'author' }, ['second', 'Third', 'first']],
    [{ sort: 'author', order: 'desc' }, ['first', 'Third', 'second']],
    [{ sort: 'stars' }, ['Third', 'first', 'second']],
    [{ sort: 'stars', order: 'desc' }, ['second', 'first', 'Third']],
    [{ stars: '2' }, ['first']],
  ];
  for (const [query, texts] of cases) expect(await inParts(`${path}/remarks`, query)).toEqual(texts);
  expect(await inParts(`${path}/remark-rows`, {})).toEqual(['first', 'Third', 'second']);
  expect(await inParts(`${path}/remark-rows`, { order: 'asc' })).toEqual(['second', 'Third', 'first']);
  const { body } = await admin.get<List>(`${path}/remarks`, { query: { limit: '1' } });
  const other = await remarked('alone');
  const cursor = body.meta.nextCursor!;
  expect(await admin.get(`${other.path}/remarks`, { query: { limit: '1', cursor } })).toMatchObject(faultsAt('cursor'));
});

it('is audited under its project, with the agent as the target', async () => {
  const { agentId } = await remarked('a secret');
  expect(await entriesIn(admin, { targetId: agentId })).toContainEqual(
    expect.objectContaining({
      target: { kind: 'remark', targetId: agentId, projectId: tenant.projectId },
      change: 'created',
      after: expect.objectContaining({ agent: agentId, text: '***', stars: null }) as object,
    }),
  );
});

it('is deleted with the agent that it refers to', async () => {
  const { agentId, path } = await remarked('one', 'two');
  expect((await admin.delete(path)).outcome).toBe('200');
  expect(await service.database.rows('select 1 from acme_remark where agent_id = $1', [agentId])).toEqual([]);
});

it('is written by a statement, under the names of its members', async () => {
  const { agentId } = await remarked();
  const database = service.app.get(Database);
  const values = { agentId: agentId as Id<'agent'>, text: 'written', author: 'Ada', stars: 5, createdAt: clock.now() };
  const added = await database.ask(
    row<RowOf<Remark>>(sql`insert into acme_remark ${newRow(Remark, values)} returning ${columnsOf(Remark)}`),
  );
  expect(added).toMatchObject({ ...values, number: expect.any(Number) as number });
});
