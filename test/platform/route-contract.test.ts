import { Body, Controller, Module } from '@nestjs/common';
import { z } from 'zod';
import { AppModule } from '../../src/app.module.js';
import { defineErrors } from '../../src/kernel/errors.js';
import type { Id } from '../../src/kernel/ids.js';
import { authErrors } from '../../src/platform/auth/auth.errors.js';
import { data } from '../../src/platform/route/answer.js';
import { PathId } from '../../src/platform/route/path-id.js';
import { AdminRoute, Route } from '../../src/platform/route/route.js';
import {
  administratorOf,
  type Check,
  routeContract,
  type RouteContractOptions,
  type World,
} from '../support/testing.js';
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

const Shelves = z.object({ appIds: z.array(z.string()).meta({ examples: [['aa-1']] }) });
const Moved = z.strictObject({ appId: z.string().meta({ examples: ['aa-1'] }) });

/** Each route forgets that some administrators have roles in single projects. */
@Controller()
class ShelfAdminController {
  private readonly appIds: string[] = [];

  @AdminRoute('GET /shelves', { summary: 'List all shelves', returns: data(Shelves), rightIn: 'anyProject' })
  all() {
    return { appIds: this.appIds };
  }

  @AdminRoute('GET /projects/{projectId}/shelf', { summary: 'Read a shelf', returns: data(Shelves) })
  read(@PathId('project') _: Id<'project'>) {
    return { appIds: [] };
  }

  @AdminRoute('PUT /projects/{projectId}/shelf', {
    summary: 'Move a shelf to an app',
    returns: data(Shelves),
    errors: [authErrors.projectNotFound],
  })
  move(@PathId('project') projectId: Id<'project'>, @Body({ schema: Moved }) { appId }: z.infer<typeof Moved>) {
    if (!moving.includes(projectId)) throw authErrors.projectNotFound();
    this.appIds.push(appId);
    return { appIds: [appId] };
  }
}

/** The projects that exist. */
const moving: string[] = [];

@Module({ controllers: [ShelfController, ShelfAdminController] })
class ShelfModule {}

@Module({ imports: [AppModule, ShelfModule] })
class Root {}

const service = await startService({}, Root);
afterAll(() => service.stop());

function aMove({ tenant: { projectId, appId } }: World) {
  moving.push(projectId);
  return { params: { projectId }, body: { appId } };
}

const options: RouteContractOptions = {
  of: ShelfModule,
  samples: {
    'POST /api/v1/shelf/books': () => ({ body: { title: 'Atlas' } }),
    'GET /api/v1/shelf/forgotten': () => ({}),
    'GET /api/v1/shelf/secret': () => ({}),
    'POST /api/v1/shelf/crash': () => ({ body: { title: 'Atlas' } }),
    'GET /api/admin/v1/shelves': async (world) => {
      const { params, body } = aMove(world);
      await administratorOf(service).put(`/api/admin/v1/projects/${params.projectId}/shelf`, body);
      return {};
    },
    'GET /api/admin/v1/projects/{projectId}/shelf': ({ tenant: { projectId } }) => ({ params: { projectId } }),
    'PUT /api/admin/v1/projects/{projectId}/shelf': aMove,
  },
  refusals: {
    SHELF_FULL: ({ tenant: { api } }) => api.post('/api/v1/shelf/books', { title: 'Any' }),
    PROJECT_NOT_FOUND: ({ tenant: { appId } }) =>
      administratorOf(service).put('/api/admin/v1/projects/nowhere/shelf', { appId }),
  },
};

async function failuresOf(checks: Check[]): Promise<string[]> {
  const failed: string[] = [];
  for (const { name, run } of checks) await run().catch(() => failed.push(name));
  return failed;
}

it('passes for a route without a fault, and names each fault of the others', async () => {
  expect(await failuresOf(await routeContract(service, options))).toEqual([
    'each route needs a permission, except for those that are named',
    'GET /api/v1/shelf/secret answers a good request with its status and exactly its documented body',
    'POST /api/v1/shelf/crash names a member of the body that it does not know',
    'POST /api/v1/shelf/crash names all faults of query and body at once',
    'POST /api/v1/shelf/crash survives odd values in its body',
    'POST /api/v1/shelf/crash takes a body up to its limit',
    'POST /api/v1/shelf/crash refuses nesting past 64 levels, and no less',
    'GET /api/admin/v1/shelves shows administrators of a project nothing of another',
    'GET /api/admin/v1/projects/{projectId}/shelf answers administrators of another project as if nothing were there',
    'GET /api/admin/v1/projects/{projectId}/shelf answers an unknown or ill-formed {projectId} with one and the same 404',
    'PUT /api/admin/v1/projects/{projectId}/shelf takes no ids of another project from administrators of one',
    'refuses with SHELF_FULL',
  ]);
});

it('lets the routes that are named ignore what they do not know', async () => {
  const ofBooks = async (ignoring: Partial<RouteContractOptions>) => {
    const checks = await routeContract(service, { ...options, ...ignoring });
    return failuresOf(checks.filter(({ name }) => name.startsWith('POST /api/v1/shelf/books')));
  };
  const books = 'POST /api/v1/shelf/books';
  expect(await ofBooks({ ignoringParameters: [books] })).toEqual([]);
  expect(await ofBooks({ ignoringMembers: [books] })).toEqual([
    `${books} ignores a member of the body that it does not know`,
    `${books} names all faults of query and body at once`,
  ]);
});
