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

/** Marks an entity whose every change is recorded together with the actor: see AuditTrail. */
export function Audited(declaration: AuditDeclaration): ClassDecorator {
  return (target) => Reflect.defineMetadata(AUDITED, declaration, target);
}

/** Marks an entity whose changes are not configuration, and says why. Each entity has one of the two marks. */
export function NotAudited(reason: string): ClassDecorator {
  return (target) => Reflect.defineMetadata(NOT_AUDITED, reason, target);
}

export function auditDeclarationOf(entity: object): AuditDeclaration | undefined {
  return Reflect.getMetadata(AUDITED, entity) as AuditDeclaration | undefined;
}

export function reasonNotAudited(entity: object): string | undefined {
  return Reflect.getMetadata(NOT_AUDITED, entity) as string | undefined;
}
