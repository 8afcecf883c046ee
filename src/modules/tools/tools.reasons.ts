import { defineReasons } from '../../kernel/errors.js';

/** The reasons why tool runs fail, apart from the errors of models and guarded addresses. */
export const RUN_REASONS = defineReasons({
  title: 'Reasons for the failure of a tool run',
  introduction:
    'The `error` of a run and of its node has one of these codes, or one of the codes above that models and addresses cause.',
  reasons: {
    TEMPLATE_FAILED:
      'A template cannot be computed with these values. Check its filters and their values with the input of this run.',
    TEMPLATE_TIMED_OUT:
      'The templates of a node computed for longer than 200 ms. Let a script node do the work, or give the templates less data.',
    TEMPLATE_TOO_LARGE:
      'The texts of a node’s templates exceed 1 MiB, or computing them needs too much memory. Insert less, or fetch less.',
    OUTPUT_TOO_LARGE: 'The output of a node is larger than 1 MiB. Make the node return less, such as one page.',
    OUTPUT_TOO_DEEP: 'The output of a node is nested deeper than 256 levels. Make the node return a flatter value.',
    OUTPUT_TOO_COSTLY: 'Reading the output of a node took too long. Make the node return less, or a simpler value.',
    RUN_COMPUTE_EXCEEDED:
      'The run computed for 60 s in all, which is the limit. Repeat nodes less often, or let scripts and templates do less.',
    RUN_TOO_LARGE:
      'The inputs and outputs of the run’s nodes exceed 16 MiB, the limit of a run. Return less from them, or repeat them less often.',
    RUN_TIMED_OUT: 'The run took longer than its timeoutMs. Raise timeoutMs, or let the run do less.',
    RUN_CANCELLED: 'The run was cancelled.',
    RUN_FAILED: 'Every attempt failed because of a fault of the service, which is in its log.',
    RUN_ABANDONED: 'The caller of the run did not come back for its result. Run the tool again.',
    TOO_MANY_STEPS:
      'The run took more than 1,000 steps, because its flow repeats without end. Check the conditions of the flow.',
    WAIT_TIMED_OUT: 'No callback arrived in time. Give the wait node a longer timeoutSeconds, or an edge for `error`.',
    DELAY_INVALID:
      'The time of a delay node is not a number of seconds from 0, is not a date and time that exists, or is later than in 30 days; the message says which.',
    NOT_A_LIST: 'The `each` of a transform node is not a list with the values of this run. Check what it names.',
    SCRIPT_FAILED:
      'A script threw, or returned a value that JSON cannot represent; the message says what, and in which line.',
    SCRIPT_TIMED_OUT:
      'A script computed for longer than its timeoutMs. Raise timeoutMs to at most 10,000, or let the script do less.',
    SCRIPT_OUT_OF_MEMORY: 'A script used more than 64 MiB of memory. Let it keep less data at a time.',
    HTTP_STATUS: 'The server answered with a status other than 2xx; the message says which.',
    HTTP_TIMED_OUT: 'The server did not answer within timeoutMs of the node.',
    HTTP_UNREACHABLE: 'The server could not be reached. Check the address.',
    HEADER_NOT_ALLOWED:
      'A header got a value that headers cannot have, such as one with a line break. Check the values in its template.',
    FORM_INVALID: 'A form or a file cannot be sent with the values of this run; the message says which value, and why.',
    FORM_TOO_LARGE: 'The form or the file of a request is larger than 16 MiB. Send less in one request.',
    BODIES_TOO_LARGE_TOGETHER:
      'The project’s requests in this process already have 64 MiB of forms and files in memory, and none of them ended within timeoutMs of the node. Send fewer of them at once, or raise timeoutMs.',
    ACCESS_TOKEN_REFUSED:
      'The authorization server gave no access token; the message says why. Check the credentials, the address and the scopes.',
    MCP_CONNECTION_MISSING:
      'The project has no active MCP connection with the id of the node. Create or activate one, or change the id.',
    NODE_TYPE_MISSING:
      'The plugin that brings the type of a node is not installed any more. Install it again, or import the tool without the node.',
    NODE_INVALID:
      'A node does not match the schema that its plugin has now; the message says where. Import the tool again with a changed node.',
    MODEL_TIMED_OUT: 'The model did not answer within timeoutMs of the node.',
  },
});

export type RunReason = keyof typeof RUN_REASONS;

/** The reasons why the documents of a tool are refused. The dock job of the import has them. */
export const DOCUMENT_REASONS = defineReasons({
  title: 'Reasons for the refusal of a tool’s documents',
  introduction: 'The `error` of the dock job has one of these codes.',
  reasons: {
    TOOL_DOCUMENT_INVALID: 'The tool document does not match its schema; the message says where.',
    FLOW_DOCUMENT_INVALID: 'The flow document does not match its schema; the message says where.',
    ENV_DOCUMENT_INVALID: 'The env document does not match its schema; the message says where.',
    SCHEMA_VERSION_UNKNOWN:
      'A document has a schemaVersion that this service does not support; the message says which it supports.',
    SCRIPT_INVALID: 'A script does not compile; the message says which, and in which line.',
    OPENAPI_DOCUMENT_INVALID:
      'The OpenAPI document cannot be read, or has another version than 3; the message says why.',
    OPENAPI_REFERENCE_OUTSIDE:
      'The OpenAPI document refers to another file, and other files are never fetched. Put all into one document.',
    OPENAPI_TOO_MANY_OPERATIONS:
      'The OpenAPI document has more operations than one import takes. Choose some of them in `operations`.',
    OPENAPI_OPERATION_UNKNOWN:
      'The OpenAPI document has no operation of a name in `operations`; the message lists some that it has.',
    OPENAPI_OPERATION_UNSUPPORTED:
      'HTTP nodes cannot send an operation, for example because of the format of its body; the message says why.',
    DOCUMENTS_TOO_COSTLY:
      'Reading the documents takes too much computing time or memory. Split the tool into several, or shorten its templates, conditions and schema.',
  },
});
