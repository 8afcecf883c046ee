/** What of an entity's changes goes into the audit. */
export interface AuditDeclaration {
  /** What people look for in the audit, such as `apiKey`. */
  kind: string;
  /** The relations that lead to the project, such as `scope.app.project`; `self` for the project; `none`. */
  project: string;
  /** Members whose values nobody may read there. That they changed is told all the same. */
  secrets?: readonly string[];
  /** What relations are called there that are shown as ids, such as `file` as `fileId`. */
  names?: Readonly<Record<string, string>>;
  /** Members that configure nothing, such as a lease. */
  unaudited?: readonly string[];
  /** The member whose id entries go by; of a relation, the id at its other end. The entity's own id, if not said. */
  target?: string;
}

const AUDITED = 'slipway:audited';
const NOT_AUDITED = 'slipway:not-audited';

/** Every change of such an entity is written down with who made it: see AuditTrail. */
export function Audited(declaration: AuditDeclaration): ClassDecorator {
  return (target) => Reflect.defineMetadata(AUDITED, declaration, target);
}

/** An entity whose changes are no configuration, and why. Each entity is the one or the other. */
export function NotAudited(reason: string): ClassDecorator {
  return (target) => Reflect.defineMetadata(NOT_AUDITED, reason, target);
}

export function auditDeclarationOf(entity: object): AuditDeclaration | undefined {
  return Reflect.getMetadata(AUDITED, entity) as AuditDeclaration | undefined;
}

export function reasonNotAudited(entity: object): string | undefined {
  return Reflect.getMetadata(NOT_AUDITED, entity) as string | undefined;
}
