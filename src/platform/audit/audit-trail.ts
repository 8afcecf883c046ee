import {
  type EntityName,
  type EntityProperty,
  type EventArgs,
  type EventSubscriber,
  MikroORM,
  Reference,
} from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { type Actor, actorId, actorName } from '../../kernel/actor.js';
import { clock } from '../../kernel/clock.js';
import { newId } from '../../kernel/ids.js';
import { currentRequest } from '../context/request-context.js';
import { ChangeLog } from '../database/change-log.js';
import { newRows } from '../database/columns.js';
import { planned } from '../database/sql.js';
import { type Statement, write } from '../database/statement.js';
import type { Transaction } from '../database/transaction.js';
import { AuditEntry, type Members } from './audit-entry.entity.js';
import { auditDeclarationOf } from './audited.js';
import { idOf, membersBefore, membersNow, related, remembered, type Row } from './entity-members.js';

/** A change: its subject, its kind, and the members before and after it. */
export type AuditedChange = Pick<AuditEntry, 'kind' | 'targetId' | 'projectId' | 'change' | 'before' | 'after'>;

type ReadChange = Pick<AuditedChange, 'change' | 'before' | 'after'>;
type MakeChange = () => AuditedChange | Promise<AuditedChange>;

/**
 * Collects every change that the unit of work makes to an audited entity, and records it in the transaction that makes
 * it: both are kept, or neither is. Use cases need not call it, because `Database` begins and writes the record.
 */
@Injectable()
export class AuditTrail extends ChangeLog implements EventSubscriber<Row> {
  private readonly open = new WeakMap<object, MakeChange[]>();

  constructor(orm: MikroORM) {
    super();
    orm.em.getEventManager().registerSubscriber(this);
  }

  begin(tx: Transaction): void {
    this.open.set(tx.em, []);
  }

  /** Records a change that no entity shows: one made by SQL, or a job that an administrator starts. */
  note(tx: Transaction, change: AuditedChange): void {
    this.changesOf(tx.em).push(() => change);
  }

  /** Records the creation of an entity that SQL has written. */
  noteCreated(tx: Transaction, entity: object): void {
    const meta = tx.em.getMetadata().get<Row>(entity.constructor as EntityName<Row>);
    this.afterCreate({ em: tx.em, entity: entity as Row, meta });
  }

  async statement(tx: Transaction): Promise<Statement<void> | null> {
    const changes = this.changesOf(tx.em).splice(0);
    if (changes.length === 0) return null;
    const { requestId = null, route } = currentRequest() ?? {};
    const operation = route ? `${route.verb} ${route.path}` : null;
    const common = { at: clock.now(), ...whoIs(tx.actor), requestId, operation };
    // Ids made at the same moment have no order, so they are sorted into the order of the changes.
    const ids = changes.map(() => newId('auditEntry')).sort();
    const entries: AuditEntry[] = [];
    for (const [at, makeChange] of changes.entries()) {
      entries.push({ id: ids[at]!, ...common, ...(await makeChange()) });
    }
    return write(planned`insert into audit_entry ${newRows(AuditEntry, entries)}`);
  }

  afterCreate(args: EventArgs<Row>): void {
    const { entity } = args;
    this.record(args, (members) => ({ change: 'created', before: null, after: membersNow(entity, members) }));
  }

  afterUpdate(args: EventArgs<Row>): void {
    const { entity, changeSet } = args;
    this.record(args, (members) => {
      // The change set of a statement that updates several rows also contains the key of each row.
      const changed = members.filter(({ name, primary }) => !primary && name in changeSet!.payload);
      const before = membersBefore(changeSet!.originalEntity ?? {}, changed);
      return { change: 'changed', before, after: membersNow(entity, changed) };
    });
  }

  /** Runs before the deletion, because the unit of work remembers nothing of the entity afterwards. */
  beforeDelete(args: EventArgs<Row>): void {
    this.record(args, (members) => ({
      change: 'deleted',
      before: membersBefore(remembered(args), members),
      after: null,
    }));
  }

  private record(args: EventArgs<Row>, read: (members: EntityProperty<Row>[]) => ReadChange): void {
    const declaration = auditDeclarationOf(args.entity.constructor);
    if (!declaration) return;
    const { kind, target, project, secrets = [], names = {}, unaudited = [] } = declaration;
    const { change, before, after } = read(args.meta.comparableProps.filter(({ name }) => !unaudited.includes(name)));
    const targetId = idOf(target === undefined ? args.entity : related(args, target));
    const findProject = projectFinder(args, project);
    const shown = (of: Members | null) => of && renamed(mask(of, secrets), names);
    const masked = { change, before: shown(before), after: shown(after) };
    this.changesOf(args.em).push(async () => ({ kind, targetId, projectId: await findProject(), ...masked }));
  }

  private changesOf(em: object): MakeChange[] {
    const changes = this.open.get(em);
    if (!changes) throw new Error('Audited entities may be changed only inside database.transaction');
    return changes;
  }
}

function whoIs(actor: Actor): Pick<AuditEntry, 'actorId' | 'actorKind' | 'actorLabel'> {
  // An administrator is found by one id, also in an app.
  const id = actor.kind === 'key' && actor.administrator ? actor.administrator.id : actorId(actor);
  return { actorId: id, actorKind: actor.kind, actorLabel: actorName(actor) };
}

/** Shows that a secret changed, but not its value. */
function mask(members: Members, secrets: readonly string[]): Members {
  const masked = { ...members };
  for (const name of secrets) if (name in masked) masked[name] = '***';
  return masked;
}

function renamed(members: Members, names: Readonly<Record<string, string>>): Members {
  return Object.fromEntries(Object.entries(members).map(([name, value]) => [names[name] ?? name, value]));
}

/** Follows the relations that the entity names. Entities on the way that are not loaded are loaded after the flush. */
function projectFinder(args: EventArgs<Row>, path: string): () => Promise<string | null> {
  if (path === 'none') return () => Promise.resolve(null);
  if (path === 'self') return () => Promise.resolve(idOf(args.entity));
  const [first = '', ...rest] = path.split('.');
  let owner = related(args, first);
  return async () => {
    for (const relation of rest) {
      // The transaction's own entity manager is used, because another one would take a connection of its own.
      const loaded = (await args.em.findOne(owner.constructor as EntityName<Row>, idOf(owner))) ?? owner;
      owner = Reference.unwrapReference(loaded[relation] as Row);
    }
    return idOf(owner);
  };
}
