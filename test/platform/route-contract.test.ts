import { Body, Controller, Module } from '@nestjs/common';
import { z } from 'zod';
import { AppModule } from '../../src/app.module.js';
import { defineErrors } from '../../src/kernel/errors.js';
import { data } from '../../src/platform/route/answer.js';
import { Route } from '../../src/platform/route/route.js';
import { routeContract } from '../support/testing.js';
import { startService } from '../support/service.js';

const errors = defineErrors({
  full: { status: 409, code: 'SHELF_FULL', message: 'The shelf is full. Remove a book before you add another one.' },
});

const Book = z.strictObject({
  title: z
    .string()
    .max(100)
    .meta({ examples: ['Atlas'] }),
});
type Book = z.infer<typeof Book>;

/** Each route but the first has a fault that compiles. */
@Controller()
class ShelfController {
  @Route('POST /api/v1/shelf/books', {
    access: 'AGENTS_VIEW',
    summary: 'Add a book to the shelf',
    returns: data(Book),
    errors: [errors.full],
  })
  add(@Body({ schema: Book }) body: Book): Book {
    if (body.title === 'One more') throw errors.full();
    return body;
  }

  @Route('GET /api/v1/shelf/forgotten', { access: 'anyKey', summary: 'Need no permission', returns: data(Book) })
  forgotten(): Book {
    return { title: 'Open' };
  }

  @Route('GET /api/v1/shelf/secret', { access: 'AGENTS_VIEW', summary: 'Tell too much', returns: data(Book) })
  secret(): Book {
    return Object.assign({ title: 'Told' }, { margin: 3 });
  }

  @Route('POST /api/v1/shelf/crash', { access: 'AGENTS_VIEW', summary: 'Crash sometimes', returns: data(Book) })
  crash(@Body({ schema: z.looseObject({}) }) body: object): Book {
    return { title: (body as { title: string }).title.trim() };
  }
}

@Module({ controllers: [ShelfController] })
class ShelfModule {}

@Module({ imports: [AppModule, ShelfModule] })
class Root {}

const service = await startService({}, Root);
afterAll(() => service.stop());

const checks = await routeContract(service, {
  of: ShelfModule,
  samples: {
    'POST /api/v1/shelf/books': () => ({ body: { title: 'Atlas' } }),
    'GET /api/v1/shelf/forgotten': () => ({}),
    'GET /api/v1/shelf/secret': () => ({}),
    'POST /api/v1/shelf/crash': () => ({ body: { title: 'Atlas' } }),
  },
  refusals: { SHELF_FULL: ({ tenant: { api } }) => api.post('/api/v1/shelf/books', { title: 'Any' }) },
});

it('passes for a route without a fault, and names each fault of the others', async () => {
  const failed: string[] = [];
  for (const { name, run } of checks) await run().catch(() => failed.push(name));
  expect(failed).toEqual([
    'each route needs a permission, except for those that are named',
    'GET /api/v1/shelf/secret answers a good request with its status and exactly its documented body',
    'POST /api/v1/shelf/crash names a member of the body that it does not know',
    'POST /api/v1/shelf/crash survives odd values in its body',
    'refuses with SHELF_FULL',
  ]);
});
