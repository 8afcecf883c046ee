import { committedOpenApi } from './committed-open-api.js';
import { compareWith } from './every-answer.js';

// Jest runs this before each test file. Only a file that starts a service with plugins has another document.
compareWith(committedOpenApi);
