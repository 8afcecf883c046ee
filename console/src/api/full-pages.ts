import type { InfiniteData, QueryFunction, QueryKey } from '@tanstack/react-query';

/**
 * Lets a query whose full pages show what does not change read only its last page again. Reading all of them again would
 * cost a request for each.
 */
export function keepingFullPages<Data, Key extends QueryKey, Cursor>(
  read: QueryFunction<Data, Key, Cursor>,
): typeof read {
  return (context) => {
    const before = context.client.getQueryData<InfiniteData<Data>>(context.queryKey);
    const at = before?.pageParams.indexOf(context.pageParam) ?? -1;
    return before?.pages.slice(0, -1)[at] ?? read(context);
  };
}
