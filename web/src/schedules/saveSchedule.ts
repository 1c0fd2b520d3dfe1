import { stringify } from "lossless-json"
import { api, type Schemas, unwrap } from "../api/client.ts"
import { useTexts } from "../i18n/Language.tsx"
import { bodyOf, changesOf, type Draft, draftOf, makeRequestId, writableFields } from "./definition.ts"
import { useOperationNotice } from "./operations.ts"
import { type Schedule, serviceScheduler } from "./states.ts"

export interface Edited {
  readonly schedule: Schedule
  /** The arguments with all their digits. */
  readonly exact: Pick<Schedule, "args" | "kwargs">
}

/** Numbers of arguments keep their digits, which JSON.stringify would round. */
const bodySerializer = (body: unknown) => stringify(body) ?? ""

/**
 * Creates or changes a schedule: at the service, or by an operation of the agent that publishes its scheduler's. Returns
 * the created schedule's id, null where there is none yet.
 */
export const useSave = (slug: string) => {
  const { schedules: { actionNotices } } = useTexts()
  const follow = useOperationNotice(slug)
  return async (draft: Draft, edited: Edited | null): Promise<string | null> => {
    const fields = edited === null
      ? writableFields(draft.scheduler, true)
      : changesOf(draftOf(edited.schedule, edited.exact), draft).map(({ field }) => field)
    const body = bodyOf(draft, fields)
    if (draft.scheduler !== serviceScheduler) {
      const operation = await unwrap(
        api.POST("/api/v1/projects/{slug}/schedules/native-operations", {
          params: { path: { slug } },
          bodySerializer,
          body: {
            request_id: makeRequestId(),
            scheduler: draft.scheduler,
            operation: edited === null ? "create" : "update",
            ...(edited !== null && {
              schedule_id: edited.schedule.id,
              observed_control_token: edited.schedule.control_token
            }),
            definition: body
          }
        })
      )
      void follow(edited === null ? actionNotices.create(draft.name) : actionNotices.update(draft.name), operation)
      return null
    }
    if (edited === null) {
      const { id } = await unwrap(
        api.POST("/api/v1/projects/{slug}/schedules", {
          params: { path: { slug } },
          bodySerializer,
          body: body as Schemas["CreateSchedule"] // `writableFields` has all of its fields; the API checks their values
        })
      )
      return id
    }
    await unwrap(
      api.PATCH("/api/v1/projects/{slug}/schedules/{schedule_id}", {
        params: { path: { slug, schedule_id: edited.schedule.id } },
        bodySerializer,
        body
      })
    )
    return null
  }
}
