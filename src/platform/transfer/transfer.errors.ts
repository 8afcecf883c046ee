import { defineErrors } from '../../kernel/errors.js';

export const transferErrors = defineErrors({
  malformedForm: {
    status: 400,
    code: 'MALFORMED_FORM',
    message:
      'The body is not a complete multipart/form-data: its boundary, the headers of a part or its end are invalid. Build it with your HTTP library.',
  },
  rangeNotSatisfiable: {
    status: 416,
    code: 'RANGE_NOT_SATISFIABLE',
    message: 'The content has {size} bytes, and none of them are in the requested range. Request bytes before its end.',
    example: { values: { size: 1024 } },
  },
});
