import { z } from 'zod';
import { id } from '../../kernel/schema.js';
import { STATUSES } from './connection.entity.js';
import { UpdateConnection, warnings } from './connections.schema.js';
import type { ProtocolDescription } from './connections.port.js';
import { FORM_FIELD_KINDS, formFieldsIn } from './form-fields.js';

export const ChangeConnection = z
  .strictObject({
    status: z.enum(STATUSES).optional(),
    fields: UpdateConnection.shape.fields.optional(),
  })
  .refine(({ status, fields }) => status !== undefined || fields !== undefined, 'needs status or fields')
  .meta({ id: 'ChangeConnection', examples: [{ status: 'INACTIVE' }] });
export type ChangeConnection = z.output<typeof ChangeConnection>;

export const ConnectionGone = z.object({ connectionId: id('connection') }).meta({ id: 'ConnectionGone' });

export const ConnectionTested = z
  .object({
    connectionId: id('connection'),
    ok: z.boolean().meta({ examples: [true] }),
    model: z.string().meta({ examples: ['gpt-4o'] }),
    latencyMs: z.int().meta({ examples: [412] }),
    reason: z.string().nullable().describe('The error, if the call failed.'),
    warnings,
  })
  .meta({ id: 'ConnectionTested' });

const FormFieldView = z
  .object({
    name: z
      .string()
      .describe('The member of `fields`.')
      .meta({ examples: ['API_KEY'] }),
    label: z.string().meta({ examples: ['API key'] }),
    kind: z
      .enum(FORM_FIELD_KINDS)
      .describe('A `secret` is sealed and shown masked, and `json` is any other value.')
      .meta({ examples: ['secret'] }),
    isRequired: z.boolean().meta({ examples: [true] }),
    hint: z
      .string()
      .nullable()
      .meta({ examples: [null] }),
  })
  .meta({ id: 'ConnectionFormField' });

export const ConnectionProtocolView = z
  .object({
    provider: z
      .string()
      .describe('The `provider` of connections.')
      .meta({ examples: ['Vendor1'] }),
    title: z.string().meta({ examples: ['Vendor1 (the protocol of OpenAI)'] }),
    alsoCalled: z
      .array(z.string())
      .describe('Further names that requests may use.')
      .meta({ examples: [['openai']] }),
    ledgerName: z
      .string()
      .describe('The provider in the ledger and in prices.')
      .meta({ examples: ['openai'] }),
    addresses: z
      .array(z.string())
      .describe('The fields with addresses of calls. With another address, the secrets have to be sent again.')
      .meta({ examples: [[]] }),
    fields: z.array(FormFieldView).describe('The fields that a form asks for. Requests may have more members.'),
  })
  .meta({ id: 'ConnectionProtocol' });

export function toConnectionProtocolView(description: ProtocolDescription): z.infer<typeof ConnectionProtocolView> {
  const { provider, title, alsoCalled = [], ledgerName, addresses = [], fields } = description;
  const names = { alsoCalled: [...alsoCalled], addresses: [...addresses] };
  return { provider, title, ledgerName, ...names, fields: formFieldsIn(fields) };
}
