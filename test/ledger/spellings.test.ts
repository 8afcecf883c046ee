import { makeTenant } from '../support/actors.js';
import { startService } from '../support/service.js';
import { aCall, found, read, written } from './calls.js';

const service = await startService();
afterAll(() => service.stop());

/** The spellings in the specification. */
const SOURCES = {
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
const SUBTYPES = {
  response_generation: ['tool_use_iteration', 'response_gen', 'realtime_response'],
  conversation_history_compaction: ['conversation_compaction'],
  ner_gather_llm_extraction: ['nlu_entity_extraction'],
  searchai_kb_query_intelligence: ['kb_classify_rewrite'],
  llm_backed_validation: ['field_validation'],
  general_assistance: ['agent_building'],
  evaluation_suite_generation: ['eval_suite_creation', 'eval_design_time_asset_generation'],
  natural_language_analytics_query: ['nl_query'],
  searchai_query_assistance: ['query_intelligence'],
  studio_test_calls: ['prompt_test', 'prompt_experiment', 'credential_health_check'],
  widget_copy_translation: ['translation_generation'],
};
const pairs = (names: Record<string, string[]>) =>
  Object.entries(names).flatMap(([current, older]) => older.map((name) => [name, current] as const));

async function writtenAs(changes: Record<string, string>) {
  const tenant = await makeTenant(service);
  const call = aCall(changes);
  await written(tenant, call, aCall({ source: 'other', sourceSubtype: 'other' }));
  const record = (await read(tenant)).body.generations.find(({ callId }) => callId === call.callId)!;
  const finds = async (query: Partial<Record<string, string>>) => (await found(tenant, query)).join() === call.callId;
  return { record, finds };
}

describe('a source', () => {
  it.each(pairs(SOURCES))('%s is kept as %s and found under both', async (older, source) => {
    const { record, finds } = await writtenAs({ source: older });
    expect(record).toMatchObject({ source });
    expect(await finds({ source: older })).toBe(true);
    expect(await finds({ source })).toBe(true);
  });

  it.each(['Studio Test-Calls', 'STUDIO_TEST_CALLS', 'health:credential_store', 'HEALTH:CREDENTIAL STORE'])(
    'is found as %s, because case, hyphens and spaces make no difference',
    async (source) => {
      const { record, finds } = await writtenAs({ source });
      expect(record).toMatchObject({ source: 'studio_test_calls', sourceLabel: 'Studio test calls' });
      expect(await finds({ source })).toBe(true);
    },
  );

  it('that is unknown is kept as it was sent, and found by the same rules', async () => {
    const { record, finds } = await writtenAs({ source: 'My-Own Part' });
    expect(record).toMatchObject({ source: 'My-Own Part', sourceLabel: 'My-Own Part' });
    expect(await finds({ source: 'my_own_part' })).toBe(true);
  });
});

describe('a subtype', () => {
  const sourceOf: Record<string, string> = {
    general_assistance: 'arch',
    evaluation_suite_generation: 'evals',
    searchai_kb_query_intelligence: 'knowledge',
    searchai_query_assistance: 'knowledge',
    natural_language_analytics_query: 'knowledge',
    studio_test_calls: 'studio_test_calls',
    widget_copy_translation: 'channels',
  };

  it.each(pairs(SUBTYPES))('%s is kept as %s and found under both', async (older, sourceSubtype) => {
    const source = sourceOf[sourceSubtype] ?? 'runtime_internal';
    const { record, finds } = await writtenAs({ source, sourceSubtype: older });
    expect(record).toMatchObject({ source, sourceSubtype });
    for (const query of [{ sourceSubtype: older }, { sourceSubtype }, { source, sourceSubtype: older }]) {
      expect(await finds(query)).toBe(true);
    }
    const elsewhere = source === 'evals' ? 'arch' : 'evals';
    expect(await finds({ source: elsewhere, sourceSubtype: older })).toBe(false);
  });

  it.each(pairs(SUBTYPES))('%s without a source is kept as %s and found under both', async (older, current) => {
    const { record, finds } = await writtenAs({ sourceSubtype: older });
    expect(record).toMatchObject({ source: 'runtime', sourceSubtype: current });
    expect(await finds({ sourceSubtype: older })).toBe(true);
    expect(await finds({ sourceSubtype: current })).toBe(true);
  });

  it('without a source is kept as it was sent if it has two meanings', async () => {
    const { record, finds } = await writtenAs({ sourceSubtype: 'nl_to_sql' });
    expect(record).toMatchObject({ source: 'runtime', sourceSubtype: 'nl_to_sql' });
    expect(await finds({ sourceSubtype: 'nl_to_sql' })).toBe(true);
    for (const sourceSubtype of ['text_to_sql', 'natural_language_analytics_query']) {
      expect(await finds({ sourceSubtype })).toBe(false);
    }
  });

  it('without a source is translated in a filter only if the source of the filter has it', async () => {
    const { record, finds } = await writtenAs({ sourceSubtype: 'prompt_test' });
    expect(record).toMatchObject({ source: 'runtime', sourceSubtype: 'studio_test_calls' });
    expect(await finds({ sourceSubtype: 'prompt_test' })).toBe(true);
    expect(await finds({ source: 'runtime', sourceSubtype: 'studio_test_calls' })).toBe(true);
    expect(await finds({ source: 'runtime', sourceSubtype: 'prompt_test' })).toBe(false);
    expect(await finds({ source: 'studio_test_calls', sourceSubtype: 'prompt_test' })).toBe(false);
  });

  it('of another source is kept as it was sent', async () => {
    const { record, finds } = await writtenAs({ source: 'guardrails', sourceSubtype: 'response_gen' });
    expect(record).toMatchObject({ sourceSubtype: 'response_gen', sourceSubtypeLabel: 'response_gen' });
    expect(await finds({ sourceSubtype: 'response_gen' })).toBe(true);
    expect(await finds({ source: 'guardrails', sourceSubtype: 'response_gen' })).toBe(true);
    expect(await finds({ sourceSubtype: 'response_generation' })).toBe(false);
  });

  it('is not folded, unlike a source', async () => {
    const { finds } = await writtenAs({ sourceSubtype: 'response_generation' });
    for (const sourceSubtype of ['Response_Generation', 'response-generation', 'RESPONSE_GEN']) {
      expect(await finds({ sourceSubtype })).toBe(false);
    }
  });
});

it('nl_to_sql has the meaning of its source, and both meanings without a source', async () => {
  const tenant = await makeTenant(service);
  const calls = ['knowledge', 'pipelines', 'runtime', 'unheard_of'].map((source) =>
    aCall({ source, sourceSubtype: 'nl_to_sql' }),
  );
  const [knowledge, pipelines, runtime, other] = calls.map(({ callId }) => callId);
  await written(tenant, ...calls);
  expect((await read(tenant)).body.generations).toMatchObject([
    { sourceSubtype: 'natural_language_analytics_query' },
    { sourceSubtype: 'text_to_sql' },
    { sourceSubtype: 'nl_to_sql' },
    { sourceSubtype: 'nl_to_sql' },
  ]);
  const sourceSubtype = 'nl_to_sql';
  expect(await found(tenant, { sourceSubtype })).toEqual([knowledge, pipelines, runtime, other]);
  expect(await found(tenant, { sourceSubtype, source: 'search-ai' })).toEqual([knowledge]);
  expect(await found(tenant, { sourceSubtype, source: 'pipelines' })).toEqual([pipelines]);
  expect(await found(tenant, { sourceSubtype, source: 'Runtime' })).toEqual([runtime]);
  expect(await found(tenant, { sourceSubtype, source: 'arch' })).toEqual([]);
  expect(await found(tenant, { sourceSubtype: 'text_to_sql' })).toEqual([pipelines]);
});

describe('a label', () => {
  const LABELS = {
    response_generation: 'Response generation',
    conversation_history_compaction: 'Conversation history compaction',
    ner_gather_llm_extraction: 'NER / gather LLM extraction',
    model_based_pii_entity_recognizer: 'Model-based PII/entity recognizer',
    model_entity_preview: 'Model entity preview',
    llm_backed_validation: 'LLM-backed validation',
    searchai_kb_query_intelligence: 'SearchAI KB query intelligence',
    searchai_query_assistance: 'SearchAI query assistance',
    routing_pipeline: 'Routing pipeline',
    pipeline_classifier: 'Pipeline classifier',
    pipeline_tool_filter: 'Pipeline tool filter',
    pipeline_merge: 'Pipeline merge',
    contextual_filler_generation: 'Contextual filler generation',
    tool_result_summarization: 'Tool-result summarization',
    sip_handoff_summary: 'SIP handoff summary',
    semantic_execution: 'Semantic execution',
    legacy_nlu_fallback: 'Legacy NLU fallback',
    general_assistance: 'General assistance',
    project_assistance: 'Project assistance',
    eval_remediation: 'Eval remediation',
    evaluation_suite_generation: 'Evaluation suite generation',
    natural_language_analytics_query: 'Natural-language analytics query',
    text_to_sql: 'Text-to-SQL',
    guardrails: 'Guardrails',
    studio_test_calls: 'Studio test calls',
    widget_copy_translation: 'Widget copy translation',
    of_nobody_known: 'of_nobody_known',
  };

  it.each(Object.entries(LABELS))('of the subtype %s is %s', async (sourceSubtype, sourceSubtypeLabel) => {
    expect((await writtenAs({ sourceSubtype })).record).toMatchObject({ sourceSubtypeLabel });
  });

  it('of a source has separate words, too', async () => {
    const { record } = await writtenAs({ source: 'pipelines', sourceSubtype: 'text_to_sql' });
    expect(record).toMatchObject({ sourceLabel: 'Pipelines', sourceSubtypeLabel: 'Text-to-SQL' });
  });
});
