import { makeTenant } from '../support/actors.js';
import { startService } from '../support/service.js';
import { redisDatabase } from '../support/settings.js';
import { Desk, entry, newConversation } from './bots.js';

const LIMIT = 3;
const service = await startService({ RATE_LIMIT_DEFAULT: String(LIMIT), REDIS_URL: redisDatabase(9) });
const tenant = await makeTenant(service);
afterAll(() => service.stop());

it('a client over its rate limit is refused with a number and a message, and other clients are not', async () => {
  const [desk, other] = [await Desk.open(service, tenant), await Desk.open(service, tenant)];
  for (let count = 0; count < LIMIT; count += 1) {
    expect((await desk.tell(newConversation(), entry('NA'))).outcome).toBe('200');
  }
  const refused = await desk.tell(newConversation(), entry('NA'));
  expect(refused.outcome).toBe('429 RATE_LIMIT_EXCEEDED');
  expect(refused.body).toEqual({ code: 429, message: expect.any(String) as string });
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect((await other.tell(newConversation(), entry('NA'))).outcome).toBe('200');
});
