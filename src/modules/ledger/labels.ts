/** What people read for the names of sources and subtypes. A name without a label is its own. */

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
  ['response_generation', 'Response Generation'],
  ['conversation_history_compaction', 'Conversation History Compaction'],
  ['ner_gather_llm_extraction', 'NER / gather LLM extraction'],
  ['model_based_pii_entity_recognizer', 'Model-based PII Entity Recognizer'],
  ['model_entity_preview', 'Model Entity Preview'],
  ['llm_backed_validation', 'LLM-backed Validation'],
  ['searchai_kb_query_intelligence', 'SearchAI KB Query Intelligence'],
  ['searchai_query_assistance', 'SearchAI Query Assistance'],
  ['routing_pipeline', 'Routing Pipeline'],
  ['pipeline_classifier', 'Pipeline Classifier'],
  ['pipeline_tool_filter', 'Pipeline Tool Filter'],
  ['pipeline_merge', 'Pipeline Merge'],
  ['contextual_filler_generation', 'Contextual Filler Generation'],
  ['tool_result_summarization', 'Tool Result Summarization'],
  ['sip_handoff_summary', 'SIP Handoff Summary'],
  ['semantic_execution', 'Semantic Execution'],
  ['legacy_nlu_fallback', 'Legacy NLU Fallback'],
  ['general_assistance', 'General Assistance'],
  ['project_assistance', 'Project Assistance'],
  ['eval_remediation', 'Eval Remediation'],
  ['evaluation_suite_generation', 'Evaluation Suite Generation'],
  ['natural_language_analytics_query', 'Natural Language Analytics Query'],
  ['text_to_sql', 'Text-to-SQL'],
  ['guardrails', 'Guardrails'],
  ['studio_test_calls', 'Studio test calls'],
  ['widget_copy_translation', 'Widget Copy Translation'],
]);

export const sourceLabel = (source: string) => SOURCE_LABELS.get(source) ?? source;

export const subtypeLabel = (subtype: string) => SUBTYPE_LABELS.get(subtype) ?? subtype;
