/** The names of sources and subtypes, with their earlier spellings and their labels. Rows keep the current spelling. */

/** Maps each current name to its earlier ones. */
const SOURCES: Record<string, readonly string[]> = {
  runtime: ['agent_session'],
  runtime_internal: [],
  arch: [],
  evals: ['eval'],
  pipelines: ['analytics_pipeline'],
  guardrails: ['guardrail'],
  knowledge: ['search_ai', 'analytics_query'],
  studio_test_calls: ['prompt_library', 'model_health', 'model_admin', 'health:credential-store'],
  channels: ['sdk_widget_localization'],
};

/** Maps each current name to its earlier ones. An earlier name may have split into several current ones. */
const SUBTYPES: Record<string, readonly string[]> = {
  response_generation: ['tool_use_iteration', 'response_gen', 'realtime_response'],
  conversation_history_compaction: ['conversation_compaction'],
  ner_gather_llm_extraction: ['nlu_entity_extraction'],
  searchai_kb_query_intelligence: ['kb_classify_rewrite'],
  llm_backed_validation: ['field_validation'],
  general_assistance: ['agent_building'],
  evaluation_suite_generation: ['eval_suite_creation', 'eval_design_time_asset_generation'],
  natural_language_analytics_query: ['nl_to_sql', 'nl_query'],
  text_to_sql: ['nl_to_sql'],
  searchai_query_assistance: ['query_intelligence'],
  studio_test_calls: ['prompt_test', 'prompt_experiment', 'credential_health_check'],
  widget_copy_translation: ['translation_generation'],
};

const SUBTYPES_OF_SOURCE: Record<string, readonly string[]> = {
  arch: ['general_assistance', 'project_assistance'],
  evals: ['eval_remediation', 'evaluation_suite_generation'],
  pipelines: ['routing_pipeline', 'pipeline_classifier', 'pipeline_tool_filter', 'pipeline_merge', 'text_to_sql'],
  knowledge: ['searchai_kb_query_intelligence', 'searchai_query_assistance', 'natural_language_analytics_query'],
  guardrails: ['guardrails'],
  studio_test_calls: ['studio_test_calls', 'model_entity_preview'],
  channels: ['widget_copy_translation'],
};

/**
 * Sources whose calls are made while an agent is designed, outside any conversation. `evals` is one of them because the
 * specification itself calls the generation of its suites `eval_design_time_asset_generation`.
 */
const DESIGN_TIME_SOURCES = ['arch', 'evals', 'studio_test_calls'];

/** A name that is not listed here is its own label. */
const SOURCE_LABELS = new Map([
  ['runtime', 'Runtime'],
  ['runtime_internal', 'Runtime Internal'],
  ['arch', 'Arch'],
  ['evals', 'Evals'],
  ['pipelines', 'Pipelines'],
  ['guardrails', 'Guardrails'],
  ['knowledge', 'Knowledge'],
  ['studio_test_calls', 'Studio test calls'],
  ['channels', 'Channels'],
]);

const SUBTYPE_LABELS = new Map([
  ['response_generation', 'Response generation'],
  ['conversation_history_compaction', 'Conversation history compaction'],
  ['ner_gather_llm_extraction', 'NER / gather LLM extraction'],
  ['model_based_pii_entity_recognizer', 'Model-based PII/entity recognizer'],
  ['model_entity_preview', 'Model entity preview'],
  ['llm_backed_validation', 'LLM-backed validation'],
  ['searchai_kb_query_intelligence', 'SearchAI KB query intelligence'],
  ['searchai_query_assistance', 'SearchAI query assistance'],
  ['routing_pipeline', 'Routing pipeline'],
  ['pipeline_classifier', 'Pipeline classifier'],
  ['pipeline_tool_filter', 'Pipeline tool filter'],
  ['pipeline_merge', 'Pipeline merge'],
  ['contextual_filler_generation', 'Contextual filler generation'],
  ['tool_result_summarization', 'Tool-result summarization'],
  ['sip_handoff_summary', 'SIP handoff summary'],
  ['semantic_execution', 'Semantic execution'],
  ['legacy_nlu_fallback', 'Legacy NLU fallback'],
  ['general_assistance', 'General assistance'],
  ['project_assistance', 'Project assistance'],
  ['eval_remediation', 'Eval remediation'],
  ['evaluation_suite_generation', 'Evaluation suite generation'],
  ['natural_language_analytics_query', 'Natural-language analytics query'],
  ['text_to_sql', 'Text-to-SQL'],
  ['guardrails', 'Guardrails'],
  ['studio_test_calls', 'Studio test calls'],
  ['widget_copy_translation', 'Widget copy translation'],
]);

/** The values that the OpenAPI document lists for the filters. */
export const SOURCE_NAMES = [...SOURCE_LABELS.keys()];
export const SUBTYPE_NAMES = [...SUBTYPE_LABELS.keys()];

/** The sources of every subtype that SUBTYPES_OF_SOURCE does not list. */
const RUNTIME_SOURCES = ['runtime', 'runtime_internal'];

const currentSourceOf = new Map(
  Object.entries(SOURCES).flatMap(([current, older]) => [current, ...older].map((name) => [foldSource(name), current])),
);
const currentSubtypesOf = new Map<string, string[]>();
for (const [current, older] of Object.entries(SUBTYPES)) {
  for (const name of older) currentSubtypesOf.set(name, [...(currentSubtypesOf.get(name) ?? []), current]);
}
const sourceOfSubtype = new Map(
  Object.entries(SUBTYPES_OF_SOURCE).flatMap(([source, subtypes]) => subtypes.map((subtype) => [subtype, source])),
);

/** Makes two spellings of a source equal that differ only in case, `-` and space. */
export function foldSource(source: string): string {
  return source.toLowerCase().replace(/[- ]/g, '_');
}

/** Returns the name that a row keeps: the current one, or the name as it was sent if it is unknown. */
export function sourceToKeep(source: string): string {
  return currentSourceOf.get(foldSource(source)) ?? source;
}

/** Whether calls of the source are made at design time. `source` is a current name. */
export function isOfDesignTime(source: string): boolean {
  return DESIGN_TIME_SOURCES.includes(source);
}

/** Returns the folded names of all sources of design time, with their earlier spellings. */
export function designTimeSources(): string[] {
  return DESIGN_TIME_SOURCES.flatMap((source) => [source, ...SOURCES[source]!].map(foldSource));
}

/**
 * Returns the name that a row keeps: the current one if the name has only one meaning, else the name as it was sent.
 */
export function subtypeToKeep(subtype: string, source: string | undefined): string {
  const [meaning, ...others] = meaningsOf(subtype, source);
  return meaning !== undefined && others.length === 0 ? meaning : subtype;
}

/** Returns the folded sources that a filter for this source matches. */
export function sourcesToFind(source: string): string[] {
  const folded = foldSource(source);
  return [...new Set([folded, currentSourceOf.get(folded) ?? folded])];
}

/**
 * Returns the subtypes that a filter for this one matches. A filter for the source decides between several meanings.
 */
export function subtypesToFind(subtype: string, source: string | undefined): string[] {
  return [subtype, ...meaningsOf(subtype, source)];
}

function meaningsOf(subtype: string, source: string | undefined): string[] {
  const meanings = currentSubtypesOf.get(subtype) ?? [];
  const current = source === undefined ? undefined : currentSourceOf.get(foldSource(source));
  return current === undefined ? meanings : meanings.filter((meaning) => belongsTo(meaning, current));
}

function belongsTo(subtype: string, source: string): boolean {
  const owner = sourceOfSubtype.get(subtype);
  return owner === undefined ? RUNTIME_SOURCES.includes(source) : owner === source;
}

export const sourceLabel = (source: string) => SOURCE_LABELS.get(source) ?? source;

export const subtypeLabel = (subtype: string) => SUBTYPE_LABELS.get(subtype) ?? subtype;
