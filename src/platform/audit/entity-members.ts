import { type EntityProperty, type EventArgs, Reference, ScalarReference, Utils, wrap } from '@mikro-orm/postgresql';
import type { Members } from './audit-entry.entity.js';

/** Any entity, or what the unit of work remembers of one. */
export type Row = Record<string, unknown>;

export function membersNow(entity: Row, members: EntityProperty<Row>[]): Members {
  return Object.fromEntries(members.map(({ name }) => [name, plain(entity[name])]));
}

/** Returns the members as they were when they were read. The unit of work remembers values in the database's form. */
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

/**
 * Returns the entity at the other end of a relation. For an entity that was removed from its owner's collection, this
 * is the former owner.
 */
export function related(args: EventArgs<Row>, relation: string): Row {
  const { em, entity, meta } = args;
  if (entity[relation]) return Reference.unwrapReference(entity[relation]) as Row;
  const target = meta.properties[relation]!.targetMeta!.class;
  return em.getReference<Row>(target, remembered(args)[relation] as never);
}

export function idOf(entity: object): string {
  return String(wrap(entity, true).getPrimaryKey());
}

/** Represents relations by their ids. */
function plain(given: unknown): unknown {
  const value: unknown = given instanceof ScalarReference ? given.unwrap() : given;
  return Utils.isEntity(value, true) ? idOf(value) : (value ?? null);
}
