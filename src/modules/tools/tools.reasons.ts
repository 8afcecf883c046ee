import { defineReasons } from '../../kernel/errors.js';

/** The reasons why tool runs fail, apart from the errors of models and guarded addresses. */
export const RUN_REASONS = defineReasons({
  title: 'Why a run of a tool failed',
  introduction:
    'The `error` of a run and of its node has one of these codes, or one of those above, which models and addresses give.',
  reasons: {
    TEMPLATE_FAILED:
      'A template does what cannot be done with these values. Check its filters and what they are given, with the input of this run.',
    TEMPLATE_TIMED_OUT:
      'The templates of a node computed for longer than 200 ms. Let a script node do the work, or give them less to go through.',
    TEMPLATE_TOO_LARGE:
      'The templates of a node come to more than 1 MiB, or need more memory than they may. Fill in less, or fetch less.',
    OUTPUT_TOO_LARGE: 'The output of a node is larger than 1 MiB. Have it give less, such as one page.',
    OUTPUT_TOO_DEEP: 'The output of a node is nested deeper than 256 levels. Have it give something flatter.',
    OUTPUT_TOO_COSTLY: 'The output of a node took too long to be read. Have it give less, or something simpler.',
    RUN_COMPUTE_EXCEEDED:
      'The run computed for 60 s in all, the most it may. Go round fewer times, or let scripts and templates do less.',
    RUN_TOO_LARGE:
      'What the nodes of the run took and gave comes to more than 16 MiB, the most that is kept of a run. Have them give less, or go round fewer times.',
    RUN_TIMED_OUT: 'The run took longer than its timeoutMs. Give it more, or have it do less.',
    RUN_CANCELLED: 'The run was cancelled.',
    RUN_FAILED: 'It failed each time for a reason that lies in the service; the log has it.',
    RUN_ABANDONED: 'Whoever had the tool run did not wait for its end. Run it again.',
    TOO_MANY_STEPS:
      'The run took more than 1,000 steps: the flow goes round in a circle. Check the conditions on its way.',
    WAIT_TIMED_OUT: 'Nobody called back in time. Give the wait node a longer timeoutSeconds, or an edge for error.',
    SCRIPT_FAILED: 'A script threw, or returned what JSON has not; the message says what, and in which line.',
    SCRIPT_TIMED_OUT:
      'A script computed for longer than its timeoutMs. Give it more, at most 10,000, or have it do less.',
    SCRIPT_OUT_OF_MEMORY: 'A script took more than 64 MiB. Have it hold less at a time.',
    HTTP_STATUS: 'The other side answered with another status than 2xx; the message says which.',
    HTTP_TIMED_OUT: 'The other side did not answer within timeoutMs of the node.',
    HTTP_UNREACHABLE: 'The other side could not be reached. Check the address.',
    HEADER_NOT_ALLOWED:
      'A header was filled to what no header may hold, such as a line break. Check what is filled in.',
    MODEL_TIMED_OUT: 'The model did not answer within timeoutMs of the node.',
  },
});

export type RunReason = keyof typeof RUN_REASONS;

/** The reasons why the documents of a tool are refused. The dock job of the import has them. */
export const DOCUMENT_REASONS = defineReasons({
  title: 'Why the documents of a tool were not taken',
  introduction: 'The `error` of the dock job has one of these codes.',
  reasons: {
    TOOL_DOCUMENT_INVALID: 'The tool document is not as its schema says; the message says where.',
    FLOW_DOCUMENT_INVALID: 'The flow document is not as its schema says; the message says where.',
    ENV_DOCUMENT_INVALID: 'The env document is not as its schema says; the message says where.',
    SCHEMA_VERSION_UNKNOWN:
      'A document has a schemaVersion that this service does not read; the message says which it reads.',
    SCRIPT_INVALID: 'A script does not compile; the message says which, and in which line.',
    DOCUMENTS_TOO_COSTLY:
      'Reading the documents takes more computing or memory than it may. Split the tool into several, or shorten its templates, conditions and schema.',
  },
});
