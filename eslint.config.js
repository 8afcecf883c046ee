import eslint from '@eslint/js';
import tseslint from 'typescript-eslint';
import { BANNED_NAMES } from './scripts/prose/banned-names.mjs';

export default tseslint.config(
  // A client of the document is compiled by its own test, once what it imports is made.
  {
    ignores: [
      'dist',
      'node_modules',
      '.data',
      '.dependency-cruiser.cjs',
      'test/contract/client',
      'console/schema.d.ts',
      'clients/typescript/dist',
      'clients/typescript/src/schema.d.ts',
      // Its test compiles it as a repository of its own.
      'examples',
    ],
  },
  eslint.configs.recommended,
  ...tseslint.configs.recommendedTypeChecked,
  { languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } } },
  {
    rules: {
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      // Handlers that only wait, and interface methods that some implementations answer at once.
      '@typescript-eslint/require-await': 'off',
      'max-lines': ['error', { max: 300, skipBlankLines: true, skipComments: true }],
      'no-restricted-syntax': ['error', BANNED_NAMES],
      'no-restricted-properties': [
        'error',
        { object: 'process', property: 'env', message: 'Settings come from platform/config.' },
        { object: 'Date', property: 'now', message: 'Time comes from kernel/clock.' },
      ],
    },
  },
  {
    // Deadlines of the process itself are measured with the real clock.
    files: [
      'src/platform/config/config.module.ts',
      'src/platform/auth/key-revocations.ts',
      'src/platform/database/migrate.ts',
    ],
    rules: { 'no-restricted-properties': 'off' },
  },
  {
    files: ['console/**', 'clients/**', 'test/**', 'bench/**', 'scripts/**', '*.{js,cjs}'],
    rules: { 'no-restricted-properties': 'off' },
  },
  {
    // The compiler knows which names there are.
    files: ['**/*.{js,mjs,cjs}'],
    rules: { 'no-undef': 'off' },
  },
);
