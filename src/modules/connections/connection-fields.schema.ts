import { z } from 'zod';
import { parseJsonPath } from './json-path.js';
import type { ProtocolDescription } from './connections.port.js';
import { COMMON_PROTOCOL_NAMES, toMappedProvider } from './mapped-providers.js';
import type { Json, JsonObject } from './secret-members.js';
import { HEADER_NAME, HEADER_VALUE } from '../../platform/outbound/header-rules.js';
import {
  templateFault,
  templateFaults,
  tooLongTemplates,
  tooManyTags,
} from '../../platform/template/template-faults.js';

export const IO_MAPPINGS = ['textToText', 'textToImage', 'imageToText', 'audioToText'] as const;
export const MAPPED_PROVIDERS = ['vendor1Model', 'vendor2Model', 'vendor3Model'] as const;

/** The limits of a payload. Its templates are parsed in the request that sends it, which blocks the process. */
const MAX_TAGS = 1_000;
const MAX_TEMPLATE_CHARACTERS = 200_000;

/** Headers that HTTP sets itself, or that would direct the request elsewhere than its address. */
const RESERVED_HEADERS =
  /^(host|connection|content-length|transfer-encoding|content-encoding|te|trailer|upgrade|expect|keep-alive|proxy-.*|http2-settings)$/i;

/** A field that is sealed. It is sent in a header, so it may have only visible ASCII characters. */
export function secretField(): z.ZodString {
  return z
    .string()
    .min(1)
    .max(8_192)
    .regex(/^[\x21-\x7e]+$/, 'has characters that keys cannot have, such as spaces or line breaks')
    .meta({ format: 'password' });
}

const text = (max: number) => z.string().min(1).max(max);
/** The schema checks only the length. `platform/outbound` decides whether requests may be sent there. */
export const address = text(2_048);

/** Any value that arrived as JSON. */
export const json = z.unknown() as z.ZodType<Json>;
/** An object whose unknown members are kept. */
const openFields = <Shape extends z.ZodRawShape>(shape: Shape) => z.object(shape).catchall(json);

const path = text(512).refine(
  (value) => parseJsonPath(value) !== undefined,
  'is not a path into an answer, such as choices[0].message.content',
);

const header = z.strictObject({
  key: z
    .string()
    .max(256)
    .regex(HEADER_NAME, 'is not the name of a header')
    .refine((name) => !RESERVED_HEADERS.test(name), 'is a header that Slipway sets itself; take it out'),
  value: z
    .string()
    .max(8_192)
    .regex(HEADER_VALUE, 'has characters that headers cannot have, such as line breaks')
    .superRefine(refuseBadTemplate),
});

const promptVariable = z.strictObject({
  name: z.string().regex(/^[A-Za-z_][\w-]{0,63}$/, 'is not the name of a variable, which has letters, digits, _ and -'),
  displayName: z.string().max(256).optional(),
  status: z.boolean().optional().describe('Whether the variable is used. The default is true.'),
  dataType: z.string().max(64).optional(),
  elementType: z.string().max(64).optional(),
  defaultValue: json.optional().describe('The value of the variable if the call has none.'),
  required: z.boolean().optional().describe('Whether a call without a value for the variable is refused.'),
  examples: z.boolean().optional(),
});

const features = z.strictObject({
  toolCalling: z.boolean().optional(),
  supportTools: z.boolean().optional(),
  parallelToolCalling: z.boolean().optional(),
  structuredResponse: z.boolean().optional(),
  dataGeneration: z
    .boolean()
    .optional()
    .describe('Stored without effect, because the service does not generate data with models.'),
  streaming: z.boolean().optional(),
});

const isEnable = z
  .boolean()
  .optional()
  .describe('Whether the connection is active. If it is false, the connection is INACTIVE.');

/** The members that describe an endpoint. A body may have each in `fields` or next to it. */
export const apiMembers = {
  BASE_URL: address.meta({ title: 'Base address', description: 'Such as https://models.example.com/v1' }).optional(),
  LLM_API_URL: address.optional().describe('The exact address of calls, the same as endpointUrl.'),
  API_KEY: secretField().meta({ title: 'API key', description: 'Not needed if the headers have it.' }).optional(),
  LLM_API_KEY: secretField().optional().describe('Used as API_KEY if that is left out.'),
  MODEL_NAME: text(256).optional(),
  endpointUrl: address
    .meta({ title: 'Exact address', description: 'The exact address of calls. Without it, calls go to BASE_URL.' })
    .optional(),
  headers: z
    .array(header)
    .max(50)
    .meta({ title: 'Headers', description: 'A list, such as [{"key": "x-team", "value": "support"}]' })
    .optional(),
  payload: z
    .record(z.string(), json)
    .superRefine(refuseBadTemplates)
    .meta({ title: 'Payload', description: 'The body of calls. Its texts are Liquid templates.' })
    .optional(),
  outputPath: path.meta({ title: 'Path of the answer', description: 'Such as choices[0].message.content' }).optional(),
  inputTokensPath: path.meta({ title: 'Path of the input tokens' }).optional(),
  outputTokensPath: path.meta({ title: 'Path of the output tokens' }).optional(),
  promptVars: z.array(promptVariable).max(100).optional(),
  customVars: z
    .array(openFields({ name: text(64).optional() }))
    .max(100)
    .optional(),
  status: z.string().max(64).optional().describe('Stored, but without effect on the status of the connection.'),
  isEnable,
  idp: z.string().max(64).optional().describe('Stored without effect. Calls use the headers and API_KEY.'),
  bodyTab: z
    .string()
    .max(64)
    .optional()
    .describe('Stored without effect: the page of the form on which the payload was written.'),
  mapProvider: z
    .enum([...MAPPED_PROVIDERS, ...COMMON_PROTOCOL_NAMES])
    .transform(toMappedProvider<(typeof MAPPED_PROVIDERS)[number]>)
    .optional()
    .describe('The provider whose protocol the endpoint uses.'),
  llmFeatures: features.meta({ title: 'Features', description: 'Such as {"streaming": true}' }).optional(),
  IOMapping: z.enum(IO_MAPPINGS).optional(),
  IOMappings: z.array(z.enum(IO_MAPPINGS)).min(1).max(IO_MAPPINGS.length).optional(),
};

export const ApiFields = openFields(apiMembers);
export type ApiFields = z.infer<typeof ApiFields>;

/** Members that every connection may have: a key, and those in which a form keeps its own state. */
const COMMON_MEMBERS = ['API_KEY', 'isEnable', 'status', 'idp', 'bodyTab'];

/** Members that describe an endpoint. Protocols without them refuse them, because the sender would rely on them. */
const ENDPOINT_MEMBERS = Object.keys(apiMembers).filter((member) => !COMMON_MEMBERS.includes(member));

/** Returns the members of a connection that have no effect in its protocol, each with the reason. */
export function ineffectiveIn(
  { fields: own }: ProtocolDescription,
  fields: object,
): { path: string[]; message: string }[] {
  const message = 'has no effect with this provider; take it out, or use the provider API';
  return ENDPOINT_MEMBERS.filter((member) => Object.hasOwn(fields, member) && !(member in own.shape)).map((member) => {
    return { path: [member], message };
  });
}

/** The schema of a connection's fields in a protocol. Members that it does not know are kept. */
export function fieldsSchema({ fields }: ProtocolDescription) {
  return fields.extend({ isEnable }).catchall(json);
}

function refuseBadTemplate(value: string, context: z.RefinementCtx): void {
  const message = templateFault(value);
  if (message) context.addIssue({ code: 'custom', message });
}

function refuseBadTemplates(payload: JsonObject, context: z.RefinementCtx): void {
  const message = tooManyTags(payload, MAX_TAGS) ?? tooLongTemplates(payload, MAX_TEMPLATE_CHARACTERS);
  if (message) return context.addIssue({ code: 'custom', message });
  for (const { path, message } of templateFaults(payload)) context.addIssue({ code: 'custom', path, message });
}
