import { useQueryClient } from "@tanstack/react-query"
import { api, ApiError, type Schemas, unwrap } from "../api/client.ts"
import { useTexts } from "../i18n/Language.tsx"
import { useProblem } from "../ui/Notices.tsx"
import { useToast } from "../ui/Toasts.tsx"
import { schedulesKey } from "./queries.ts"

/** What an action on another scheduler's schedule and a change at that scheduler have in common. */
export type Operation = Pick<Schemas["NativeScheduleOperation"], "id" | "operation" | "status" | "error">
export type OperationName = Operation["operation"]

const firstPollMillis = 400
const longestPollMillis = 5_000
/** A snapshot that decides about an unknown outcome arrives within seconds; after this time it stays unknown here. */
const indeterminateMillis = 60_000

const terminal = new Set<Operation["status"]>(["succeeded", "failed", "expired"])

/** Both kinds of operations can be read by this path (docs/schedules.md, Acting on them). */
const readOperation = async (slug: string, operation: Operation): Promise<Operation> => {
  try {
    return await unwrap(
      api.GET("/api/v1/projects/{slug}/schedules/native-operations/{operation_id}", {
        params: { path: { slug, operation_id: operation.id } }
      })
    )
  } catch (error) {
    if (error instanceof ApiError && (error.status === 0 || error.status >= 500)) return operation
    throw error
  }
}

/**
 * Follows what an agent does at its own scheduler, in a notice with this title, until its outcome. An unknown outcome is
 * shown as such, and followed for a minute, since the next snapshot may decide it; that of a trigger stays unknown.
 */
export const useOperationNotice = (slug: string) => {
  const { schedules: { operationHints, operationStatuses } } = useTexts()
  const problemOf = useProblem()
  const queries = useQueryClient()
  const toast = useToast()
  return async (title: string, begun: Operation): Promise<void> => {
    const textOf = ({ error, status }: Operation) => `${operationStatuses[status]}. ${error ?? operationHints[status]}`
    const notice = toast.show({ title, text: textOf(begun), tone: "plain" })
    const startedAt = Date.now()
    let operation = begun
    try {
      for (let millis = firstPollMillis;; millis = Math.min(longestPollMillis, millis * 1.5)) {
        const isUnknown = operation.status === "indeterminate"
        const isOver = terminal.has(operation.status) ||
          (isUnknown && (operation.operation === "trigger" || Date.now() - startedAt > indeterminateMillis))
        const isBad = operation.status === "failed" || operation.status === "expired"
        notice.replace({
          text: textOf(operation),
          tone: operation.status === "succeeded" ? "good" : isBad ? "bad" : "plain"
        })
        if (isOver) return
        await new Promise((resolve) => setTimeout(resolve, millis))
        operation = await readOperation(slug, operation)
      }
    } catch (error) {
      notice.replace({ ...problemOf(error), tone: "bad" })
    } finally {
      void queries.invalidateQueries({ queryKey: schedulesKey(slug) })
    }
  }
}
