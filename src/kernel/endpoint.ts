import { isIP } from 'node:net';

export interface Endpoint {
  address: string;
  port: number;
}

/** `127.0.0.1:3001` or `[::1]:3001`; nothing where it is written otherwise. */
export function parseEndpoint(text: string): Endpoint | undefined {
  const [, inBrackets, plain, digits] = /^(?:\[([^\]]+)\]|([^:[\]]+)):(\d{1,5})$/.exec(text) ?? [];
  const [address, family] = inBrackets === undefined ? [plain ?? '', 4] : [inBrackets, 6];
  const port = Number(digits);
  return isIP(address) === family && port >= 1 && port <= 65_535 ? { address, port } : undefined;
}

/** Where a request to the address goes. */
export function portOf({ protocol, port }: { protocol: string; port: string }): number {
  if (port !== '') return Number(port);
  return protocol === 'https:' ? 443 : 80;
}
