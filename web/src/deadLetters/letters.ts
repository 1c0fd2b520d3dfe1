import { useInfiniteQuery } from "@tanstack/react-query"
import { api, type Schemas, unwrap } from "../api/client.ts"

/** The filter of the list, in the address of the page. */
export interface DeadLettersSearch {
  readonly engine?: string
  readonly queue?: string
  readonly agent?: string
}

export type Letter = Schemas["DeadLetter"]

const pageSize = 100
/** Read by an agent of the engine, page by page. */
export const useLetters = (slug: string, { agent, queue }: DeadLettersSearch, engine: string | undefined) =>
  useInfiniteQuery({
    queryKey: ["dead-letters", slug, engine, queue, agent],
    enabled: engine !== undefined,
    initialPageParam: null as string | null, // the cursor of the first page
    queryFn: ({ pageParam }) =>
      unwrap(
        api.GET("/api/v1/projects/{slug}/dead-letters", {
          params: {
            path: { slug },
            query: {
              engine: engine ?? "", // it is enabled with an engine only
              limit: pageSize,
              ...(queue !== undefined && { queue }),
              ...(agent !== undefined && { agent_id: agent }),
              ...(pageParam !== null && { cursor: pageParam })
            }
          }
        })
      ),
    getNextPageParam: ({ next_cursor }) => next_cursor,
    // each read asks the agent, which also has commands to execute: only a person asks again
    refetchOnWindowFocus: false,
    retry: false
  })
