import {
  type EntityManager,
  type EntityName,
  type EventArgs,
  type EventSubscriber,
  MikroORM,
} from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { type Actor, actorId, actorName } from '../../kernel/actor.js';
import { clock } from '../../kernel/clock.js';
import { newId } from '../../kernel/ids.js';
import { currentRequest } from '../context/request-context.js';
import { ChangeLog } from '../database/change-log.js';
import { planned, raw, type Sql } from '../database/sql.js';
import { Statements } from '../database/statements.js';
import type { AuditEntry, Members } from './audit-entry.entity.js';
import { auditDeclarationOf } from './audited.js';
import { idOf, membersBefore, membersNow, related, remembered, type Row } from './entity-members.js';

/** What was changed, and how. */
export type AuditedChange = Pick<AuditEntry, 'kind' | 'targetId' | 'projectId' | 'change' | 'before' | 'after'>;

type MakeChange = () => AuditedChange | Promise<AuditedChange>;

/**
 * Sees every change that the unit of work makes to an audited entity, and writes it down in the transaction that makes
 * it: both are kept, or neither is. No use case has to think of it; `Database` opens and writes it.
 */
@Injectable()
export class AuditTrail extends ChangeLog implements EventSubscriber<Row> {
  private readonly open = new WeakMap<object, MakeChange[]>();

  constructor(
    orm: MikroORM,
    private readonly statements: Statements,
  ) {
    super();
    orm.em.getEventManager().registerSubscriber(this);
  }

  begin(em: EntityManager): void {
    this.open.set(em, []);
  }

  /** For a change that no entity shows: one made by SQL, or a job that an administrator starts. */
  note(em: EntityManager, change: AuditedChange): void {
    this.changesOf(em).push(() => change);
  }

  /** All that was collected, in one statement, which goes with the commit. */
  async write(em: EntityManager, actor: Actor): Promise<void> {
    const changes = this.changesOf(em).splice(0);
    if (changes.length === 0) return;
    const { requestId = null, route } = currentRequest() ?? {};
    const operation = route ? `${route.verb} ${route.path}` : null;
    const common = { at: clock.now(), ...whoIs(actor), requestId, operation };
    // Ids of one moment have no order of their own; these are to have that of the changes.
    const ids = changes.map(() => newId('auditEntry')).sort();
    const entries: AuditEntry[] = [];
    for (const [at, makeChange] of changes.entries()) {
      entries.push({ id: ids[at]!, ...common, ...(await makeChange()) });
    }
    await this.statements.writeIn(em, insertOf(entries));
  }

  afterCreate(args: EventArgs<Row>): void {
    const { entity, meta } = args;
    this.record(args, () => ({ change: 'created', before: null, after: membersNow(entity, meta.comparableProps) }));
  }

  afterUpdate(args: EventArgs<Row>): void {
    const { entity, meta, changeSet } = args;
    this.record(args, () => {
      // Of several rows updated in one statement each names its key too.
      const changed = meta.comparableProps.filter(({ name, primary }) => !primary && name in changeSet!.payload);
      const before = membersBefore(changeSet!.originalEntity ?? {}, changed);
      return { change: 'changed', before, after: membersNow(entity, changed) };
    });
  }

  /** Not after it, when nothing of the entity is remembered any more. */
  beforeDelete(args: EventArgs<Row>): void {
    const { meta } = args;
    this.record(args, () => ({
      change: 'deleted',
      before: membersBefore(remembered(args), meta.comparableProps),
      after: null,
    }));
  }

  private record(args: EventArgs<Row>, read: () => Pick<AuditedChange, 'change' | 'before' | 'after'>): void {
    const declaration = auditDeclarationOf(args.entity.constructor);
    if (!declaration) return;
    const { kind, target, project, secrets = [] } = declaration;
    const { change, before, after } = read();
    const targetId = idOf(target === undefined ? args.entity : related(args, target));
    const findProject = projectFinder(args, project);
    const masked = { change, before: mask(before, secrets), after: mask(after, secrets) };
    this.changesOf(args.em).push(async () => ({ kind, targetId, projectId: await findProject(), ...masked }));
  }

  private changesOf(em: object): MakeChange[] {
    const changes = this.open.get(em);
    if (!changes) throw new Error('What is audited is changed inside database.transaction, and nowhere else');
    return changes;
  }
}

const COLUMNS = raw(
  'id, at, actor_id, actor_kind, actor_label, request_id, operation, kind, target_id, project_id, change, before, after',
);

function insertOf(entries: readonly AuditEntry[]): Sql {
  const all = <Name extends keyof AuditEntry>(name: Name) => entries.map((entry) => entry[name]);
  // Each by itself: within one JSON of all, half a character in a text would be refused.
  const asJson = (name: 'before' | 'after') => all(name).map((members) => members && JSON.stringify(members));
  return planned`
    insert into audit_entry (${COLUMNS}) select ${COLUMNS}
    from unnest(${all('id')}::text[], ${all('at')}::timestamptz[], ${all('actorId')}::text[],
      ${all('actorKind')}::text[], ${all('actorLabel')}::text[], ${all('requestId')}::text[], ${all('operation')}::text[],
      ${all('kind')}::text[], ${all('targetId')}::text[], ${all('projectId')}::text[], ${all('change')}::text[],
      ${asJson('before')}::json[], ${asJson('after')}::json[]) as entry (${COLUMNS})`;
}

function whoIs(actor: Actor): Pick<AuditEntry, 'actorId' | 'actorKind' | 'actorLabel'> {
  return { actorId: actorId(actor), actorKind: actor.kind, actorLabel: actorName(actor) };
}

/** That a secret changed is told, and not what it is. */
function mask(members: Members | null, secrets: readonly string[]): Members | null {
  if (members === null) return null;
  const masked = { ...members };
  for (const name of secrets) if (name in masked) masked[name] = '***';
  return masked;
}

/** Follows the relations that the entity names. What of them is not loaded is loaded, once the flush is over. */
function projectFinder(args: EventArgs<Row>, path: string): () => Promise<string | null> {
  if (path === 'none') return () => Promise.resolve(null);
  if (path === 'self') return () => Promise.resolve(idOf(args.entity));
  const [first = '', ...rest] = path.split('.');
  let owner = related(args, first);
  return async () => {
    for (const relation of rest) {
      // In the transaction's own manager: another one would ask on a connection of its own.
      const loaded = (await args.em.findOne(owner.constructor as EntityName<Row>, idOf(owner))) ?? owner;
      owner = loaded[relation] as Row;
    }
    return idOf(owner);
  };
}
