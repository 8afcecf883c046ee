import * as kubernetes from '@kubernetes/client-node';

/** A member of a type: its name and its type, in the words of the generated client. */
interface Member {
  readonly baseName: string;
  readonly type: string;
  readonly format?: string;
}

const ARRAY = /^Array<(.+)>$/;
const MAP = /^\{ \[key: string\]: (.+); \}$/;
const QUANTITY = /^\d+(\.\d+)?(m|k|Ki|M|Mi|G|Gi|T|Ti)?$/;
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/**
 * Returns the faults of an object as the API server finds them with `fieldValidation=Strict`: members that its type does
 * not have, and values of another type. The types of Kubernetes are those of its generated client.
 */
export function faultsOf(value: unknown, type: string, path = ''): string[] {
  const [, item] = ARRAY.exec(type) ?? [];
  const [, mapped] = MAP.exec(type) ?? [];
  if (item !== undefined) {
    if (!Array.isArray(value)) return [`${path}: is not a list`];
    return value.flatMap((each, at) => faultsOf(each, item, `${path}[${at}]`));
  }
  if (mapped !== undefined) {
    if (!isObject(value)) return [`${path}: is not an object`];
    return Object.entries(value).flatMap(([key, each]) => faultsOf(each, mapped, `${path}.${key}`));
  }
  const members = membersOf(type);
  return members ? objectFaults(value, members, path) : isOf(value, type) ? [] : [`${path}: is not of ${type}`];
}

function objectFaults(value: unknown, members: readonly Member[], path: string): string[] {
  if (!isObject(value)) return [`${path}: is not an object`];
  return Object.entries(value).flatMap(([name, each]) => {
    const member = members.find(({ baseName }) => baseName === name);
    if (!member) return [`unknown field "${path}.${name}"`];
    const faults = faultsOf(each, member.type, `${path}.${name}`);
    const texts = isObject(each) ? Object.values(each) : [each];
    const isEncoded = member.format !== 'byte' || texts.every((text) => BASE64.test(String(text)));
    return isEncoded ? faults : [...faults, `${path}.${name}: is not Base64`];
  });
}

function membersOf(type: string): Member[] | undefined {
  const known = (kubernetes as unknown as Record<string, { getAttributeTypeMap?: () => Member[] } | undefined>)[type];
  return known?.getAttributeTypeMap?.();
}

function isOf(value: unknown, type: string): boolean {
  if (type.startsWith("'")) return type.split(' | ').includes(`'${String(value)}'`);
  if (type === 'Date') return typeof value === 'string' && !Number.isNaN(Date.parse(value));
  if (type === 'IntOrString') return typeof value === 'string' || Number.isInteger(value);
  if (type === 'number') return Number.isInteger(value);
  if (type === 'Quantity') return QUANTITY.test(String(value));
  return typeof value === type;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
