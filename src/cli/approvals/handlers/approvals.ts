import { Console, Option, Predicate } from "effect"
import type { Approval } from "../../../domain/approvalGate/Approval.ts"
import { ApprovalId } from "../../../domain/kernel/Id.ts"
import { decodeInput, givenOf } from "../../io/DecodeInput.ts"
import { type Column, formatAge, formatFields } from "../../io/Table.ts"
import { escapeText, jsonMemberOf } from "../../io/TerminalText.ts"
import { CliError } from "../../program/Explain.ts"
import type { HandlersOf } from "../../program/Group.ts"
import { call, list, show } from "../../remote/Handlers.ts"
import type { definitions } from "../approvals.ts"

const columns: ReadonlyArray<Column<Approval>> = [
  { head: "STATUS", cell: ({ status }) => status },
  { head: "SUMMARY", cell: ({ summary }) => summary, maxLength: 80, minLength: 20 },
  { head: "ASKED", cell: ({ created_at }, view) => formatAge(created_at, view) },
  { head: "ID", cell: ({ id }) => id }
]

const formatApproval = (approval: Approval, text: string): string =>
  formatFields([
    ["approval", approval.id],
    ["kind", approval.kind],
    ["summary", approval.summary],
    ["status", approval.status],
    ["asked by", approval.requested_by_name ?? approval.requested_by],
    ["asked", approval.created_at],
    ["expires", approval.expires_at],
    ["request", jsonMemberOf(text, "request")],
    ["before", approval.before === null ? null : jsonMemberOf(text, "before")],
    ["after", approval.after === null ? null : jsonMemberOf(text, "after")],
    ["revision", approval.revision],
    ["decided by", approval.decided_by_name ?? approval.decided_by],
    ["decided", approval.decided_at],
    ["reason", approval.reason],
    ["result", jsonMemberOf(text, "result")]
  ])

/** The sentence of a problem, for people. */
const problemOf = (result: unknown): string =>
  Predicate.hasProperty(result, "detail") ? String(result.detail) : JSON.stringify(result)

const approvalIdOf = (given: string) => decodeInput(ApprovalId, given.toLowerCase())

export const handlers: HandlersOf<typeof definitions> = {
  list: list(columns, ({ api, slug }, { cursor, limit, status }) => {
    const urlParams = { limit, ...givenOf({ cursor, status }) }
    return api.approvals.list({ path: { slug }, urlParams, withResponse: true })
  }),
  show: show(function*({ api, slug }, { approval }) {
    const path = { slug, approval_id: yield* approvalIdOf(approval) }
    return yield* api.approvals.get({ path, withResponse: true })
  }, formatApproval),
  approve: call(function*({ api, slug }, { approval }) {
    const path = { slug, approval_id: yield* approvalIdOf(approval) }
    const { result, status, summary } = yield* api.approvals.approve({ path })
    if (status === "failed") {
      return yield* new CliError({
        message: `approved, and the brain refused it afterwards: ${summary}: ${problemOf(result)}`
      })
    }
    yield* Console.log(`approved and done: ${escapeText(summary)}`)
    if (Predicate.hasProperty(result, "accept_url_path")) {
      yield* Console.log(`link of the invitation, shown only now: ${escapeText(String(result.accept_url_path))}`)
    }
  }),
  reject: call(function*({ api, slug }, { approval, reason }) {
    const path = { slug, approval_id: yield* approvalIdOf(approval) }
    const { summary } = yield* api.approvals.reject({ path, payload: { reason: Option.getOrNull(reason) } })
    yield* Console.log(`rejected: ${escapeText(summary)}`)
  })
}
