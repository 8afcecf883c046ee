import { shortened } from '../../kernel/shortened.js';
import type { Author } from './hooks.schema.js';

export interface TranscriptLine {
  author: Author;
  text: string;
  at: Date;
}

/** The input of a summary: the messages that may be sent to models, and the names of the agents. */
export interface Transcript {
  agents: string[];
  lines: TranscriptLine[];
}

interface Sentence {
  author: Author;
  text: string;
  score: number;
  position: number;
}

const MAX_SENTENCES = 6;
const MAX_CHARACTERS = 300;

/**
 * Makes a summary without a model: the period, the agents, the number of messages, and the most typical sentences as
 * quotations. The facts follow the locale, but quotations cannot be translated.
 */
export function extractSummary({ agents, lines }: Transcript, requestedLocale: string): string {
  const locale = usableLocale(requestedLocale);
  const first = lines[0];
  const facts = [
    ...(first ? [period(first.at, lines.at(-1)!.at, locale)] : []),
    ...(agents.length > 0 ? [new Intl.ListFormat(locale).format(agents)] : []),
    new Intl.NumberFormat(locale).format(lines.length),
  ];
  const quotations = typicalSentences(lines, locale).map(({ author, text }) => `${author}: ${text}`);
  return [facts.join(' · '), ...quotations].join('\n');
}

/** Returns the supported locale for a tag. English replaces a tag that is invalid or not supported. */
export function usableLocale(requested: string): string {
  try {
    return Intl.DateTimeFormat.supportedLocalesOf(requested.replaceAll('_', '-'))[0] ?? 'en';
  } catch {
    return 'en';
  }
}

function period(from: Date, to: Date, locale: string): string {
  const format = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' });
  return format.formatRange(from, to);
}

/** Returns the user's first sentence, the last sentence, and those with the most frequent words, in their order. */
function typicalSentences(lines: readonly TranscriptLine[], locale: string): Sentence[] {
  const sentences = sentencesOf(lines, locale);
  const [first, last] = [sentences.find(({ author }) => author === 'USER') ?? sentences[0], sentences.at(-1)];
  const fixed = new Set([first, last].filter((sentence) => sentence !== undefined));
  const others = sentences.filter((sentence) => !fixed.has(sentence)).sort((a, b) => b.score - a.score);
  return [...fixed, ...others.slice(0, MAX_SENTENCES - fixed.size)].sort((a, b) => a.position - b.position);
}

function sentencesOf(lines: readonly TranscriptLine[], locale: string): Sentence[] {
  const splitter = new Intl.Segmenter(locale, { granularity: 'sentence' });
  const sentences = lines.flatMap(({ author, text }) =>
    [...splitter.segment(text)].map(({ segment }) => ({ author, text: segment.replace(/\s+/g, ' ').trim() })),
  );
  const worded = sentences
    .filter(({ text }) => text !== '')
    .map(({ author, text }) => ({ author, text, words: wordsOf(text, locale) }));
  const frequency = new Map<string, number>();
  for (const word of worded.flatMap(({ words }) => words)) frequency.set(word, (frequency.get(word) ?? 0) + 1);
  return worded.map(({ author, text, words }, position) => {
    const weight = words.reduce((sum, word) => sum + frequency.get(word)!, 0);
    return { author, text: shortened(text, MAX_CHARACTERS), position, score: weight / Math.sqrt(words.length || 1) };
  });
}

/** Leaves out words of up to three letters, because most of them are function words. */
function wordsOf(text: string, locale: string): string[] {
  const splitter = new Intl.Segmenter(locale, { granularity: 'word' });
  const words = [...splitter.segment(text)].filter(({ isWordLike, segment }) => isWordLike && segment.length > 3);
  return [...new Set(words.map(({ segment }) => segment.toLocaleLowerCase(locale)))];
}
