import { getLlama, LlamaChat, LlamaLogLevel, resolveChatWrapper } from 'node-llama-cpp';

/**
 * Calls the engine directly, in a process of its own as a replica is. It loads the model that it is given, answers a
 * fixed number of times, and reports how long each answer took.
 */
const { MODEL_FILE: modelPath = '' } = process.env;
const threads = 1;
const llama = await getLlama({
  build: 'never',
  gpu: 'auto',
  skipDownload: true,
  maxThreads: threads,
  logLevel: LlamaLogLevel.error,
});
const model = await llama.loadModel({ modelPath, useMmap: false });
const context = await model.createContext({ contextSize: 4096, sequences: 4, threads });
const chat = new LlamaChat({ contextSequence: context.getSequence(), chatWrapper: resolveChatWrapper(model) });

process.on('message', (/** @type {{ times: number }} */ { times }) => void answer(times));
process.on('disconnect', () => process.exit(0));
process.send?.({ type: 'ready', url: '' });

/** @param {number} times */
async function answer(times) {
  /** @type {number[]} */
  const took = [];
  let text = '';
  for (let time = 0; time < times; time += 1) {
    const began = performance.now();
    const history = [
      { type: /** @type {const} */ ('user'), text: `Question ${time}` },
      { type: /** @type {const} */ ('model'), response: [] },
    ];
    const { response } = await chat.generateResponse(history, { temperature: 0, onTextChunk: () => undefined });
    took.push(performance.now() - began);
    text = response;
  }
  process.send?.({ took, text });
}
