import { makeTenant } from '../support/actors.js';
import { startService } from '../support/service.js';
import { ask, connectTo, ledgerOf } from './calls.js';
import { startOddProvider } from './odd-provider.js';

const provider = await startOddProvider();
const service = await startService({ MODEL_TIMEOUT_SECONDS: '3' });
afterAll(async () => {
  await service.stop();
  await provider.stop();
});

const DESCRIBED = { payload: { prompt: '{{ prompt }}' }, outputPath: 'out.text', llmFeatures: { streaming: true } };

describe('a stream of a described endpoint', () => {
  it.each(['{"error":{"code":"overloaded"}}', '{"error":"no more","out":{"text":"lo"}}'])(
    'that tells of an error fails: %s',
    async (error) => {
      const tenant = await makeTenant(service);
      provider.answer = (_, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.end(`data: {"error":null,"out":{"text":"Hel"}}\n\ndata: ${error}\n\n`);
      };
      const { text } = await ask(tenant, await connectTo(tenant, provider, '', DESCRIBED), { stream: true });
      expect(text).toContain('"content":"Hel"');
      expect(text.trim().split('\n\n').at(-1)).toContain('MODEL_CALL_FAILED');
      expect(text).not.toContain('[DONE]');
      expect(await ledgerOf(tenant)).toMatchObject([{ status: 'failed', payload: { response: { text: 'Hel' } } }]);
    },
  );
});
