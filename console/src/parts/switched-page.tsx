import { useQuery } from '@tanstack/react-query';
import type { ComponentProps, ReactNode } from 'react';
import type { CurlRequest } from './copy-curl.js';
import { CreatingPage } from './creating-page.js';
import { FilterBar } from './filter-bar.js';
import { List, type ListSource } from './list.js';
import { ReadPanel } from './read-panel.js';
import { REFRESH_MS } from '../api/refresh.js';
import type { Sorting } from './sorting.js';
import { SwitchActions, type SwitchedStatus } from './switch-actions.js';
import { useFilters, useOpen } from './use-filters.js';

interface Switched {
  status: SwitchedStatus;
}

/** The requests for the connections of one kind. */
export interface SwitchedRequests<Connection, By extends string> extends ListSource<Connection, By> {
  sorting: Sorting<By>;
  /** The path of the list. */
  path: string;
  query: CurlRequest['query'];
  filters: ComponentProps<typeof FilterBar>['filters'];
  /** The filters in the address. */
  chosen: object;
  pathOf: (id: string) => string;
  readOne: (id: string) => Promise<Connection>;
  setStatus: (id: string, status: SwitchedStatus) => Promise<unknown>;
  remove: (id: string) => Promise<unknown>;
}

interface SwitchedPageProps<Connection extends Switched, By extends string> extends Pick<
  ComponentProps<typeof List<Connection, By>>,
  'idOf' | 'columns' | 'empty'
> {
  title: string;
  /** The name of one connection, such as "MCP connection". */
  noun: string;
  requests: SwitchedRequests<Connection, By>;
  nameOf: (connection: Connection) => string;
  /** The form that makes a connection. */
  newForm: (onDone: (id?: string) => void) => ReactNode;
  /** The form that changes one. */
  changeForm: (connection: Connection, onDone: () => void) => ReactNode;
  facts: (connection: Connection) => ReactNode;
  /** Tries whether the connection works. */
  check: (connection: Connection) => ReactNode;
}

/** The connections of one kind: their list, the form for a new one, and the opened one beside them. */
export function SwitchedPage<Connection extends Switched, By extends string>(props: SwitchedPageProps<Connection, By>) {
  const { title, noun, requests, newForm, idOf } = props;
  const [{ connection: opened }, change] = useFilters();
  const open = useOpen();
  return (
    <CreatingPage
      title={title}
      noun={noun}
      request={{ path: requests.path, query: requests.query, access: 'administration' }}
      form={(close) => newForm((connection) => close({ connection }))}
    >
      <FilterBar filters={requests.filters} />
      <List
        label={title}
        of={requests.of}
        read={requests.read}
        sorting={requests.sorting}
        idOf={idOf}
        onOpen={(connection) => open({ connection: idOf(connection) })}
        opened={opened}
        columns={props.columns}
        chosen={requests.chosen}
        empty={props.empty}
      />
      {opened && <Panel {...props} key={opened} id={opened} onClose={() => change({ connection: undefined })} />}
    </CreatingPage>
  );
}

interface PanelProps<Connection extends Switched, By extends string> extends SwitchedPageProps<Connection, By> {
  id: string;
  onClose: () => void;
}

function Panel<Connection extends Switched, By extends string>({
  id,
  onClose,
  requests,
  ...of
}: PanelProps<Connection, By>) {
  const { data, error } = useQuery({
    queryKey: [of.noun, id],
    queryFn: () => requests.readOne(id),
    refetchInterval: REFRESH_MS,
  });
  return (
    <ReadPanel
      title={data ? of.nameOf(data) : id}
      request={{ path: requests.pathOf(id), access: 'administration' }}
      data={data}
      error={error}
      onClose={onClose}
    >
      {(connection) => (
        <>
          {of.facts(connection)}
          <SwitchActions
            id={id}
            status={connection.status}
            setStatus={(status) => requests.setStatus(id, status)}
            remove={() => requests.remove(id)}
            onGone={onClose}
            form={(onDone) => of.changeForm(connection, onDone)}
          />
          {of.check(connection)}
        </>
      )}
    </ReadPanel>
  );
}
