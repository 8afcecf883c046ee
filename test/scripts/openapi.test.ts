import { piecesOf } from '../../scripts/openapi.mjs';
import { committedOpenApi } from '../support/committed-open-api.js';
import { Client } from '../support/client.js';
import { startService } from '../support/service.js';

const service = await startService();
afterAll(() => service.stop());

const refersTo = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const document = {
  openapi: '3.1.0',
  paths: {
    '/books': { get: { answers: refersTo('Book') }, post: { takes: [refersTo('Error')] } },
    '/shelves': { get: { answers: refersTo('Shelf'), fails: refersTo('Error') } },
  },
  components: { schemas: { Book: { of: refersTo('Author') }, Author: {}, Shelf: {}, Error: {}, Unused: {} } },
};

it('puts what one module alone uses into its piece, and the rest into the index', () => {
  expect(piecesOf(document, (_, path) => path.slice(1))).toEqual({
    index: { openapi: '3.1.0', components: { schemas: { Error: {}, Unused: {} } } },
    books: {
      paths: { '/books': document.paths['/books'] },
      components: { schemas: { Book: document.components.schemas.Book, Author: {} } },
    },
    shelves: { paths: { '/shelves': document.paths['/shelves'] }, components: { schemas: { Shelf: {} } } },
  });
});

it('divides a path that two modules have, and components that refer to each other', () => {
  const both = {
    paths: { '/a': { get: refersTo('One'), put: {} } },
    components: { schemas: { One: refersTo('Two'), Two: refersTo('One') } },
  };
  expect(piecesOf(both, (verb) => verb)).toEqual({
    index: {},
    get: { paths: { '/a': { get: refersTo('One') } }, components: both.components },
    put: { paths: { '/a': { put: {} } } },
  });
});

it('merges the committed pieces into the document that the service answers with', async () => {
  const { body } = await new Client(service.url).get<{ servers: object[] }>('/openapi.json');
  expect({ ...body, servers: [{ url: '/' }] }).toEqual({ ...committedOpenApi(), servers: [{ url: '/' }] });
});
