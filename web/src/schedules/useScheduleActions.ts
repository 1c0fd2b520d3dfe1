import { api, type Schemas, unwrap } from "../api/client.ts"
import { type Command, useCommand } from "../commands/following.ts"
import { useTexts } from "../i18n/Language.tsx"
import { useAction } from "../ui/useAction.ts"
import { type Operation, useOperationNotice } from "./operations.ts"
import { schedulesKey } from "./queries.ts"
import type { Schedule } from "./states.ts"

/** What one click does; where another scheduler owns the schedule, its agent is asked to. */
export type ScheduleAction = "enable" | "disable" | "pause" | "resume"

interface ActionResult {
  readonly data?: Schedule | Schemas["ExternalScheduleControlOperation"]
  readonly error?: unknown
  readonly response: Response
}

const request = (slug: string, action: ScheduleAction | "trigger", scheduleId: string): Promise<ActionResult> => {
  const options = { params: { path: { slug, schedule_id: scheduleId } } }
  switch (action) {
    case "enable":
      return api.POST("/api/v1/projects/{slug}/schedules/{schedule_id}/enable", options)
    case "disable":
      return api.POST("/api/v1/projects/{slug}/schedules/{schedule_id}/disable", options)
    case "pause":
      return api.POST("/api/v1/projects/{slug}/schedules/{schedule_id}/pause", options)
    case "resume":
      return api.POST("/api/v1/projects/{slug}/schedules/{schedule_id}/resume", options)
    case "trigger":
      return api.POST("/api/v1/projects/{slug}/schedules/{schedule_id}/trigger", options)
  }
}

/** Requests an action; where an agent carries it out, follows its operation until the outcome. */
const useRequest = (slug: string) => {
  const { schedules: { actionNotices } } = useTexts()
  const follow = useOperationNotice(slug)
  return async (action: ScheduleAction | "trigger", { id, name }: Pick<Schedule, "id" | "name">): Promise<Response> => {
    const result = await request(slug, action, id)
    const body = await unwrap(Promise.resolve(result))
    if ("operation" in body) void follow(actionNotices[action](name), body)
    return result.response
  }
}

/** Enables, disables, pauses or resumes a schedule. */
export const useScheduleAction = (slug: string) => {
  const run = useRequest(slug)
  return useAction(
    schedulesKey(slug),
    ({ action, schedule }: { readonly action: ScheduleAction; readonly schedule: Schedule }) => run(action, schedule)
  )
}

/** Submits a schedule's task now, and follows its command, which the response's `Location` names. */
export const useTrigger = (slug: string) => {
  const { schedules: { actionNotices } } = useTexts()
  const run = useRequest(slug)
  const followCommand = useCommand(slug)
  return async (schedule: Pick<Schedule, "id" | "name">): Promise<void> => {
    const response = await run("trigger", schedule)
    const commandId = /\/commands\/([^/]+)$/.exec(response.headers.get("location") ?? "")?.[1]
    if (commandId === undefined) return
    await followCommand(actionNotices.trigger(schedule.name), (): Promise<Command> =>
      unwrap(
        api.GET("/api/v1/projects/{slug}/commands/{command_id}", {
          params: { path: { slug, command_id: commandId } }
        })
      ))
  }
}

/** Deletes a schedule; true where it is deleted already, false where an agent was asked to delete it. */
export const useDelete = (slug: string) => {
  const { schedules: { actionNotices } } = useTexts()
  const follow = useOperationNotice(slug)
  return async ({ id, name }: Schedule): Promise<boolean> => {
    const result = await api.DELETE("/api/v1/projects/{slug}/schedules/{schedule_id}", {
      params: { path: { slug, schedule_id: id } }
    })
    const body = await unwrap(Promise.resolve(result))
    if (result.response.status === 204) return true
    void follow(actionNotices.delete(name), body as Operation) // the body of 202; 204 has none
    return false
  }
}
