// The files that the collection uploads.

const FORM = 'multipart/form-data; boundary=slipway-postman';

export const TOOL = {
  schemaVersion: '1.0',
  tool: { name: 'find_order', description: 'Finds an order.', inputSchema: { type: 'object' } },
};
/** A flow that ends at once, and one that waits until it is cancelled. */
export const FLOW = {
  schemaVersion: '1.0',
  callflows: [
    {
      id: 'main',
      name: 'Main',
      nodes: [
        { id: 'start', type: 'start' },
        { id: 'end', type: 'end' },
      ],
      edges: [{ from: 'start', to: 'end' }],
    },
    {
      id: 'waiting',
      name: 'Waiting for an approval',
      nodes: [
        { id: 'start', type: 'start' },
        { id: 'approval', type: 'wait' },
        { id: 'end', type: 'end' },
      ],
      edges: [
        { from: 'start', to: 'approval' },
        { from: 'approval', to: 'end' },
      ],
    },
  ],
};
/** A sound file without sound. */
export const SILENCE = 'RIFF$\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0@\x1f\0\0@\x1f\0\0\x01\0\b\0data\0\0\0\0';

const TENSORS = '{"weight":{"dtype":"F32","shape":[2,2],"data_offsets":[0,16]}}';
/** The smallest model in the safetensors format: the length of its header, the header, four numbers. */
export const MODEL = `${String.fromCharCode(TENSORS.length)}${'\0'.repeat(7)}${TENSORS}${'\0'.repeat(16)}`;

/**
 * Writes a form with a file as text, because a collection that names a file on one disk cannot be run elsewhere.
 * @param {Record<string, string>} fields
 * @param {string} fileName
 * @param {string} content
 */
export function form(fields, fileName, content) {
  const part = (/** @type {string} */ head, /** @type {string} */ value) =>
    `--slipway-postman\r\nContent-Disposition: form-data; ${head}\r\n\r\n${value}\r\n`;
  const parts = Object.entries(fields).map(([name, value]) => part(`name="${name}"`, value));
  return {
    type: FORM,
    text: `${parts.join('')}${part(`name="file"; filename="${fileName}"`, content)}--slipway-postman--\r\n`,
  };
}
