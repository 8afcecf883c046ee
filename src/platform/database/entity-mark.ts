import { type EntityName, EntitySchema } from '@mikro-orm/postgresql';

/** A decorator of the class of an entity, or a call with what `defineEntity` returns. */
export type EntityMark = (entity: EntityName) => void;

/** Returns the class of an entity, which also one of `defineEntity` has. */
export function classOf(entity: EntityName): { readonly name: string; readonly prototype: object } {
  return EntitySchema.is(entity) ? entity.class : entity;
}
