import { defineErrors } from 'slipway/plugin';

export const knowledgeErrors = defineErrors({
  notFound: {
    status: 404,
    code: 'KNOWLEDGE_BASE_NOT_FOUND',
    message: 'The project has no such knowledge base. GET /api/v1/knowledge-bases lists them.',
  },
  duplicateName: {
    status: 409,
    code: 'DUPLICATE_KNOWLEDGE_BASE_NAME',
    message: 'The project already has a knowledge base of this name. Choose another name; case is ignored.',
    unique: 'acme_knowledge_base_name',
  },
  tooMany: {
    status: 409,
    code: 'TOO_MANY_KNOWLEDGE_BASES',
    message:
      'The project has {limit} knowledge bases, and no more are allowed. Delete one, or raise ACME_KNOWLEDGE_BASES.',
  },
});
