import { request as httpRequest } from 'node:http';

/**
 * Sends a request with a key. Both races of keys need to know in which turn of the event loop the answer arrived.
 * @param {import('node:http').Agent} agent
 * @param {{ method: string, url: string, key: string, body?: object, bodyMs?: number }} what the last character of
 *   the body follows after `bodyMs`
 * @param {() => void} onAnswer called when its head has arrived
 * @returns {Promise<{ status: number, code: string }>}
 */
export function send(agent, { method, url, key, body, bodyMs = 0 }, onAnswer) {
  return new Promise((resolve, reject) => {
    const sent = body ? JSON.stringify(body) : '';
    const headers = {
      'x-api-key': key,
      ...(body && { 'content-type': 'application/json', 'content-length': sent.length }),
    };
    const request = httpRequest(url, { method, agent, headers }, (response) => {
      onAnswer();
      if (!request.writableEnded) request.end(sent.slice(-1));
      let text = '';
      response.setEncoding('utf8').on('data', (chunk) => (text += chunk));
      response.once('end', () => {
        /** @type {unknown} */
        const answer = JSON.parse(text);
        const { error } = /** @type {{ error?: { code: string } }} */ (answer);
        resolve({ status: response.statusCode ?? 0, code: error?.code ?? '' });
      });
      response.once('error', reject);
    });
    request.on('error', reject);
    if (bodyMs === 0) {
      request.end(sent);
    } else {
      request.write(sent.slice(0, -1));
      setTimeout(() => request.writableEnded || request.end(sent.slice(-1)), bodyMs);
    }
  });
}
