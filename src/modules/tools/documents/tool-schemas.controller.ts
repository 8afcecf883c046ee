import { Controller } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { z } from 'zod';
import { plain } from '../../../platform/route/answer.js';
import { PathName } from '../../../platform/route/path-id.js';
import { Route } from '../../../platform/route/route.js';
import { DOCUMENT_NAMES, type DocumentName, EnvDocument, flowDocument, ToolDocument } from './documents.schema.js';
import { knownNodes } from './known-nodes.js';
import { toolsErrors } from '../tools.errors.js';

const JsonSchema = z.looseObject({}).meta({
  id: 'JsonSchema',
  description: 'A JSON Schema (2020-12).',
  examples: [{ $schema: 'https://json-schema.org/draft/2020-12/schema', type: 'object' }],
});

@ApiTags('Tools')
@Controller()
export class ToolSchemasController {
  private readonly schemas: Record<DocumentName, z.ZodType> = {
    tool: ToolDocument,
    flow: flowDocument(knownNodes()),
    env: EnvDocument,
  };

  @Route('GET /api/public/schemas/tool/{name}', {
    access: 'public',
    summary: 'Read the JSON Schema of a document of tools: tool, flow or env',
    returns: plain(JsonSchema),
    errors: [toolsErrors.schemaNotFound],
  })
  schema(@PathName('name', { names: DOCUMENT_NAMES, example: 'tool' }) name: string) {
    const document = name.replace(/\.json$/, '');
    if (!Object.hasOwn(this.schemas, document)) throw toolsErrors.schemaNotFound();
    const schema = this.schemas[document as DocumentName];
    return z.toJSONSchema(schema, { target: 'draft-2020-12', io: 'input', unrepresentable: 'any' });
  }
}
