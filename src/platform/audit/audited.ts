import { classOf, type EntityMark } from '../database/entity-mark.js';

/** Declares which of an entity's changes are audited, and how. */
export interface AuditDeclaration {
  /** The kind by which people search the audit, such as `apiKey`. */
  kind: string;
  /** The relations that lead to the project, such as `scope.app.project`; `self` for the project; `none`. */
  project: string;
  /** Members whose values are hidden. The audit still shows that they changed. */
  secrets?: readonly string[];
  /** The names of relations in the audit, which shows ids, such as `fileId` for `file`. */
  names?: Readonly<Record<string, string>>;
  /** Members that configure nothing, such as a lease. */
  unaudited?: readonly string[];
  /**
   * The member whose id the entries carry; for a relation, the id at its other end. By default it is the entity's own
   * id.
   */
  target?: string;
}

const AUDITED = 'slipway:audited';
const NOT_AUDITED = 'slipway:not-audited';

/**
 * Marks an entity whose every change is recorded together with the actor: see AuditTrail. An entity of `defineEntity`
 * without a class of its own is marked by a call: `Audited({ … })(Note)`.
 */
export function Audited(declaration: AuditDeclaration): EntityMark {
  return (entity) => Reflect.defineMetadata(AUDITED, declaration, classOf(entity));
}

/** Marks an entity whose changes are not configuration, and says why. Each entity has one of the two marks. */
export function NotAudited(reason: string): EntityMark {
  return (entity) => Reflect.defineMetadata(NOT_AUDITED, reason, classOf(entity));
}

export function auditDeclarationOf(entity: object): AuditDeclaration | undefined {
  return Reflect.getMetadata(AUDITED, entity) as AuditDeclaration | undefined;
}

export function reasonNotAudited(entity: object): string | undefined {
  return Reflect.getMetadata(NOT_AUDITED, entity) as string | undefined;
}
