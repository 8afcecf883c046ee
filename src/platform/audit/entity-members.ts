import { type EntityProperty, type EventArgs, Utils, wrap } from '@mikro-orm/postgresql';
import type { Members } from './audit-entry.entity.js';

/** Any entity, or what the unit of work remembers of one. */
export type Row = Record<string, unknown>;

export function membersNow(entity: Row, members: EntityProperty<Row>[]): Members {
  return Object.fromEntries(members.map(({ name }) => [name, plain(entity[name])]));
}

/** As they were when they were read; the unit of work remembers values as the database has them. */
export function membersBefore(remembered: Row, members: EntityProperty<Row>[]): Members {
  return Object.fromEntries(
    members.map(({ name, customType }) => {
      const value = remembered[name] ?? null;
      return [name, customType?.platform ? customType.convertToJSValue(value, customType.platform) : value];
    }),
  );
}

export function remembered({ em, entity }: EventArgs<Row>): Row {
  return em.getUnitOfWork().getOriginalEntityData(entity) ?? {};
}

/** Where a relation leads; of an entity that was taken out of its owner's collection, where it led before that. */
export function related(args: EventArgs<Row>, relation: string): Row {
  const { em, entity, meta } = args;
  if (entity[relation]) return entity[relation] as Row;
  const target = meta.properties[relation]!.targetMeta!.class;
  return em.getReference<Row>(target, remembered(args)[relation] as never);
}

export function idOf(entity: object): string {
  return String(wrap(entity, true).getPrimaryKey());
}

/** Relations by their ids. */
function plain(value: unknown): unknown {
  return Utils.isEntity(value, true) ? idOf(value) : (value ?? null);
}
