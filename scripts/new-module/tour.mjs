import { readFileSync } from 'node:fs';
import { format, resolveConfig } from 'prettier';
import { inProject } from '../project.mjs';
import { namesOf } from './names.mjs';

const TEMPLATE = inProject('scripts', 'new-module', 'tour.md.template');
const PAGE = inProject('docs', 'extend', 'module.md');
const MADE = '<!-- Made from scripts/new-module/tour.md.template by `npm run docs`; changes here are lost. -->';

/**
 * Returns the steps that change a new module, with the names of this one.
 * @param {string | undefined} folder
 */
export async function tourOf(folder) {
  const page = await pageOf(folder);
  return page.slice(page.indexOf('## '));
}

/** Returns the page of the documents, which shows the tour for notes. */
export async function tourPage() {
  return (await pageOf('notes')).replace('\n\n', `\n\n${MADE}\n\n`);
}

/** @param {string | undefined} folder */
async function pageOf(folder) {
  const text = namesOf(folder).rename(readFileSync(TEMPLATE, 'utf8'));
  return format(text, { ...(await resolveConfig(PAGE)), filepath: PAGE });
}
