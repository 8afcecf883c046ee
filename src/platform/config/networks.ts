import { isIP } from 'node:net';
import { z } from 'zod';

/** Networks as `address/bits`, or single addresses, separated by commas. */
export const networkList = z.string().transform((list, context) => {
  const networks = list
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean);
  for (const network of networks.filter((item) => !isNetwork(item))) {
    context.addIssue(`has "${network}", which is neither an address (10.0.0.1) nor a network (10.0.0.0/8)`);
  }
  return networks;
});

function isNetwork(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/');
  const family = isIP(address);
  if (family === 0 || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128));
}
