import { isIP } from 'node:net';

export interface Endpoint {
  address: string;
  port: number;
}

/** Parses `127.0.0.1:3001` or `[::1]:3001`. Returns undefined for any other form. */
export function parseEndpoint(text: string): Endpoint | undefined {
  const [, inBrackets, plain, digits] = /^(?:\[([^\]]+)\]|([^:[\]]+)):(\d{1,5})$/.exec(text) ?? [];
  const [address, family] = inBrackets === undefined ? [plain ?? '', 4] : [inBrackets, 6];
  const port = Number(digits);
  return isIP(address) === family && port >= 1 && port <= 65_535 ? { address, port } : undefined;
}

/** Returns the port of a request to a URL. */
export function portOf({ protocol, port }: { protocol: string; port: string }): number {
  if (port !== '') return Number(port);
  return protocol === 'https:' ? 443 : 80;
}
