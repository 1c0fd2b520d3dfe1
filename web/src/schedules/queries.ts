import { keepPreviousData, queryOptions } from "@tanstack/react-query"
import { parse } from "lossless-json"
import { api, type Schemas, unwrap } from "../api/client.ts"
import { type Language, preferredLanguage } from "../i18n/Language.tsx"
import type { Schedule } from "./states.ts"

/** Every query of this feature begins with it, so that an action reads all of them again. */
export const schedulesKey = (slug: string) => ["schedules", slug] as const

const pageSize = 500
/** The list filters what the browser has, so it reads all schedules, up to so many. */
export const maxListed = 2_000
const fireCount = 20
const misfireCount = 200

/** In which language the server puts schedules in words. */
const wordsIn = (language: Language) => ({ "accept-language": language })

export interface ListedSchedules {
  readonly schedules: ReadonlyArray<Schedule>
  readonly threshold: number
  /** The project has more of them. */
  readonly isTruncated: boolean
}

export const schedulesQuery = (slug: string, language = preferredLanguage()) =>
  queryOptions({
    queryKey: [...schedulesKey(slug), "list", language],
    queryFn: async (): Promise<ListedSchedules> => {
      const schedules: Array<Schedule> = []
      let cursor: string | null = null
      let threshold = 0
      do {
        const page: Schemas["ScheduleList"] = await unwrap(
          api.GET("/api/v1/projects/{slug}/schedules", {
            params: { path: { slug }, query: { limit: pageSize, ...(cursor !== null && { cursor }) } },
            headers: wordsIn(language)
          })
        )
        schedules.push(...page.items)
        threshold = page.circuit_breaker_threshold
        cursor = page.next_cursor
      } while (cursor !== null && schedules.length < maxListed)
      return { schedules, threshold, isTruncated: cursor !== null }
    }
  })

/** The newest fires of the schedules on screen, by schedule. */
export const runsQuery = (slug: string, ids: ReadonlyArray<string>) =>
  queryOptions({
    queryKey: [...schedulesKey(slug), "runs", ids],
    enabled: ids.length > 0,
    placeholderData: keepPreviousData,
    queryFn: async () => {
      const { items } = await unwrap(
        api.GET("/api/v1/projects/{slug}/schedules/runs", {
          params: { path: { slug }, query: { id: [...ids], limit: fireCount } }
        })
      )
      return new Map(items.map(({ runs, schedule_id }) => [schedule_id, runs]))
    }
  })

export const projectMisfiresQuery = (slug: string) =>
  queryOptions({
    queryKey: [...schedulesKey(slug), "misfires"],
    queryFn: () =>
      unwrap(
        api.GET("/api/v1/projects/{slug}/schedules/misfires", {
          params: { path: { slug }, query: { limit: misfireCount } }
        })
      )
  })

const firesShown = 100
const misfiresShown = 50

export const scheduleQuery = (slug: string, scheduleId: string, language = preferredLanguage()) =>
  queryOptions({
    queryKey: [...schedulesKey(slug), "one", scheduleId, language],
    queryFn: async () => {
      const path = { slug, schedule_id: scheduleId }
      // the text too: JSON.parse rounds numbers beyond 2^53, and arguments keep their digits
      const text = await unwrap(
        api.GET("/api/v1/projects/{slug}/schedules/{schedule_id}", {
          params: { path },
          headers: wordsIn(language),
          parseAs: "text"
        })
      )
      const exact = parse(text) as Pick<Schedule, "args" | "kwargs"> // the same response, with numbers as text
      return { schedule: JSON.parse(text) as Schedule, exact } // the contract of this operation
    }
  })

export const firesQuery = (slug: string, scheduleId: string) =>
  queryOptions({
    queryKey: [...schedulesKey(slug), "fires", scheduleId],
    queryFn: () =>
      unwrap(
        api.GET("/api/v1/projects/{slug}/schedules/{schedule_id}/fires", {
          params: { path: { slug, schedule_id: scheduleId }, query: { limit: firesShown } }
        })
      )
  })

export const misfiresQuery = (slug: string, scheduleId: string) =>
  queryOptions({
    queryKey: [...schedulesKey(slug), "misfires", scheduleId],
    queryFn: () =>
      unwrap(
        api.GET("/api/v1/projects/{slug}/schedules/{schedule_id}/misfires", {
          params: { path: { slug, schedule_id: scheduleId }, query: { limit: misfiresShown } }
        })
      )
  })

export interface Cadence {
  readonly kind: string
  readonly expression: string
  readonly timezone: string
  readonly jitter_seconds: number
  /** An interval counts from here; null: from now. */
  readonly from: string | null
}

/** Where the tasks of a schedule go. */
export interface Target {
  /** Null: not known. */
  readonly engine: string | null
  /** Null: the task's own. */
  readonly queue: string | null
}

const previewKinds = ["cron", "interval", "clocked"] as const

/**
 * What the cadence would do next, and what is missing to run its tasks. The API responds with 422 to one that is not valid,
 * and says why.
 */
export const previewQuery = (
  slug: string,
  { engine = null, expression, from, jitter_seconds, kind, queue = null, timezone }: Cadence & Partial<Target>,
  count: number,
  language = preferredLanguage()
) => {
  const known = previewKinds.find((one) => one === kind)
  return queryOptions({
    queryKey: [
      ...schedulesKey(slug),
      "preview",
      { kind, expression, timezone, jitter_seconds, from, engine, queue, count, language }
    ],
    enabled: known !== undefined && expression.trim() !== "",
    placeholderData: keepPreviousData,
    queryFn: () =>
      unwrap(
        api.POST("/api/v1/projects/{slug}/schedules:preview", {
          params: { path: { slug } },
          headers: wordsIn(language),
          body: { kind: known ?? "cron", expression, timezone, from, count, jitter_seconds, engine, queue }
        })
      )
  })
}

/** What the schedulers of the project's engines can do, and who publishes their schedules. */
export const capabilitiesQuery = (slug: string) =>
  queryOptions({
    queryKey: [...schedulesKey(slug), "capabilities"],
    queryFn: () =>
      unwrap(api.GET("/api/v1/projects/{slug}/schedules/native-capabilities", { params: { path: { slug } } }))
  })

/** What fires schedules: the service's own entry first. */
export const fleetQuery = (slug: string) =>
  queryOptions({
    queryKey: [...schedulesKey(slug), "fleet"],
    queryFn: () => unwrap(api.GET("/api/v1/schedulers"))
  })
