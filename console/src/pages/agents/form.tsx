import { Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, dataOf, type Schemas } from '../../api/client.js';
import { ActionForm } from '../../parts/action-form.js';
import { Awaited } from '../../parts/awaited.js';
import {
  changedIn,
  editedOf,
  FieldInputs,
  labelsOf,
  type Texts,
  textsOf,
  withChoices,
} from '../../parts/fields-form.js';
import { useReadingPause } from '../../parts/use-reading-pause.js';
import { type AgentChoices, fieldsToChange, useAgentChoices, withModel } from './fields.js';
import { choiceOf } from './model-choice.js';
import { AGENT, agentOptions } from './requests.js';

type Agent = Schemas['Agent'];

/** The texts that the user has changed and not saved. A field that is left out is as the agent has it. */
interface Draft {
  /** The version that the user saw when the first change was made. */
  begunWith: number;
  texts: Texts;
}

/** Changes an agent. Its name has no versions. */
export function AgentForm({ agent }: { agent: Agent }) {
  const read = useAgentChoices();
  return <Awaited of={read}>{(choices) => <ChangeForm agent={agent} choices={choices} />}</Awaited>;
}

function ChangeForm({ agent, choices }: { agent: Agent; choices: AgentChoices }) {
  const { appId, agentId, version } = agent;
  const queries = useQueryClient();
  const [draft, setDraft] = useState<Draft | null>(null);
  const fields = fieldsToChange(choices, agent);
  const shown = textsOf(fields, { ...agent, model: choiceOf(choices.models, agent).value });
  const texts = withChoices(fields, { ...shown, ...draft?.texts });
  const isChanged = editedOf(fields, shown, texts).length > 0;
  const isOutdated = draft !== null && isChanged && draft.begunWith !== version;
  const isReadable = useReadingPause(isOutdated);
  const edit = (name: string, text: string) =>
    setDraft((before) => ({ begunWith: before?.begunWith ?? version, texts: { ...before?.texts, [name]: text } }));
  const save = async () => {
    // Another tab may have made a version since the page read the agent. Then the form says so, and saves on request.
    const latest = await queries.fetchQuery(agentOptions(appId, agentId));
    if (latest.version !== version) return;
    const body = withModel(changedIn(fields, shown, texts), choices);
    const saved = await dataOf(api.PATCH(AGENT, { params: { path: { appId, agentId } }, body }));
    queries.setQueryData(agentOptions(appId, agentId).queryKey, saved);
    // A text that was typed meanwhile stays.
    const isSaved = ([name, text]: [string, string]) => draft?.texts[name] === text;
    setDraft((now) => {
      const left = Object.entries(now?.texts ?? {}).filter((one) => !isSaved(one));
      return left.length === 0 ? null : { begunWith: saved.version, texts: Object.fromEntries(left) };
    });
  };
  return (
    <ActionForm
      label="Change the agent"
      button="Save as a version"
      fields={labelsOf(fields)}
      send={save}
      isDisabled={!isChanged || (isOutdated && !isReadable)}
      maw="60rem"
    >
      {(faultOf) => (
        <>
          <Text size="sm">
            These belong to version {version}. A change makes the next version, which answers once you activate it. A
            new name makes none.
          </Text>
          <FieldInputs fields={fields} texts={texts} faultOf={faultOf} onChange={edit} />
          {isOutdated && (
            <Text size="sm" role="status">
              Version {version} was made meanwhile. What you changed began with version {draft.begunWith}. If you save,
              it replaces the same parts of version {version}.
            </Text>
          )}
        </>
      )}
    </ActionForm>
  );
}
