import { defineErrors } from '../../kernel/errors.js';

export const transferErrors = defineErrors({
  malformedForm: {
    status: 400,
    code: 'MALFORMED_FORM',
    message:
      'The body is no whole multipart/form-data: its boundary, the headers of a part or its end are broken. Let your HTTP library build it.',
  },
  rangeNotSatisfiable: {
    status: 416,
    code: 'RANGE_NOT_SATISFIABLE',
    message: 'The content has {size} bytes, and none of them are in the range asked for. Ask for bytes before its end.',
    example: { values: { size: 1024 } },
  },
});
